# Two hundred launchers that wait for one TPU: first each asks the cloud itself, then all use one service. The cloud counts requests.
say "A simulated cloud whose TPU is ready after fifteen seconds, and two hundred launchers that wait for it, each for itself:"
show 0 'export PATH=$PWD/build/dev:$PATH'
launchers='for i in {1..200}; do rollcall wait tpu:trainer,project=demo-project,zone=us-central2-b >/dev/null 2>&1 & done; wait $(jobs -p)'
count() {
  kill "$ROLLCALL_SIM_PID"
  while kill -0 "$ROLLCALL_SIM_PID" 2>/dev/null; do read -rt 0.05 <> <(:) || true; done
  cat "$counts"
}
counts=$(mktemp)
eval "$(rollcall sim examples/herd.json --background 2>"$counts")"
show 0 "$launchers"
say "The cloud was asked:"
count

say "The same by one service:"
eval "$(rollcall sim examples/herd.json --background 2>"$counts")"
exec {output}< <(exec rollcall serve --listen 127.0.0.1:0)
service=$!
read -r line <&"$output"
say "\$ rollcall serve --listen 127.0.0.1:0"
echo "$line"
eval "$line"
show 0 "$launchers"
show 0 'curl -s "$ROLLCALL_SERVER/v1/clusters"; echo' '"ready":'
show 0 'rollcall fleet' 'tpu:trainer'
say "As long as the service runs, the same is a page: $ROLLCALL_SERVER/ in a browser."
if [ -t 0 ] && [ -t 1 ]; then read -rp "Enter ends the demonstration. " _; fi
say "The cloud was asked:"
count
rm -f "$counts"
