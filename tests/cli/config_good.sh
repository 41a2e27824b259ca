# Everything that is shipped passes; each kind is told by its content.
cd "$TOP" || exit
exec "$EPTSIM" config check configs/costs/*.json configs/machines/*.json \
	configs/scenarios/*.json
