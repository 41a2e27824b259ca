# A .vst is the same to the byte from a packed file, plain text or standard
# input, and holds what the text held.
"$EPTSIM" import "$TOP/traces/samples/quiet.txt.zst" -o packed.vst || exit
"$EPTSIM" import - -o piped.vst <"$TOP/traces/samples/quiet.txt.zst" || exit
cmp packed.vst piped.vst || exit
"$EPTSIM" info packed.vst
