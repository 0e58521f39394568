#compdef cellserver
# Completes command lines of cellserver in zsh. To try it, after compinit: source <(cellserver completion zsh)
_cellserver() {
	local prev=${words[CURRENT-1]} own= list=
	local -a commands
	compset -P '--*=' && prev=${IPREFIX%=}
	local directives='@directives@'
	case $prev in
	@values@
	esac
	case ${words[2]#--} in
	@options@
	esac
	if [[ -n $list ]]; then
		compadd -- ${=list}
	elif [[ $PREFIX == -* ]]; then
		compadd -- ${=own}
	else
		if (( CURRENT == 2 )); then
			commands=(
				@described@
			)
			_describe command commands
		fi
		_files
	fi
}
if [[ $funcstack[1] == _cellserver ]]; then
	_cellserver "$@"
elif (( $+functions[compdef] )); then
	compdef _cellserver cellserver
fi
