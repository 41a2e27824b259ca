# SIGINT while the recording is still being read: status 130, it is said that
# there is nothing to keep, and nothing is written.  A shell that has not
# become the program yet would die by the signal; hence the pause before it.
mkfifo pipe
for command in 'compare' 'run --policy never'; do
	for trace in - pipe; do
		if [ $trace = pipe ]; then input=/dev/null; else input=pipe; fi
		rm -f err
		sleep 60 >pipe &
		writer=$!
		"$EPTSIM" $command "$TOP/configs/scenarios/recorded.json" \
			--trace $trace --json r.json <$input >table 2>err &
		pid=$!
		tries=0
		until [ -s err ] || [ $tries = 50 ]; do
			sleep 0.2
			kill -INT $pid
			tries=$((tries + 1))
		done
		wait $pid
		echo "$command $trace -> $?"
		kill $writer
		cat err table
	done
done
ls -A
