"""xds_client.py TARGET: calls it every 200 ms and prints the server that answered, or the status code and text, a line a call. Without TARGET: grpcio's version."""
import sys
import time

import grpc


def main():
    if len(sys.argv) == 1:
        print("grpcio", grpc.__version__)
        return
    # A StringValue: field 1, a text.
    call = grpc.insecure_channel(sys.argv[1]).unary_unary("/interop.Backend/WhoAreYou", None, lambda data: data[2:].decode())
    while True:
        try:
            print(call(b"", timeout=2), flush=True)
        except grpc.RpcError as error:
            print(error.code().name, " ".join(error.details().split()), flush=True)
        time.sleep(0.2)


main()
