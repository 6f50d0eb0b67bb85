# equal NAME GOT WANT: fails the test unless both are the same.
equal() {
	if [ "$2" != "$3" ]; then
		echo "$1: got $2, want $3"
		exit 1
	fi
}
