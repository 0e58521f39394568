package sortedsets_test

import _ "cellserver/commands/all" // the tests of this family call commands of other families, too
