# Completes command lines of cellserver in bash. To try it: source <(cellserver completion bash)
_cellserver() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} own= list=
	# bash cuts --name=value at the equals sign.
	[[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD-2]}
	[[ $cur != = ]] || cur=
	local directives='@directives@'
	case $prev in
	@values@
	esac
	case ${COMP_WORDS[1]#--} in
	@options@
	esac
	if [[ -z $list && $cur == -* ]]; then
		list=$own
	elif [[ -z $list && $COMP_CWORD -eq 1 ]]; then
		list='@commands@'
	fi
	COMPREPLY=($(compgen -W "$list" -- "$cur"))
}
complete -o default -F _cellserver cellserver
