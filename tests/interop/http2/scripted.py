"""scripted.py CERTIFICATE KEY SCRIPT: an https server by python's h2 that follows a script; it prints its port. Scripts:

refuse      each third stream is refused (REFUSED_STREAM), as by a server that is full
leave       after each tenth answer GOAWAY, whose last stream is the last one answered, and the connection ends
enhance     after each tenth answer GOAWAY with ENHANCE_YOUR_CALM, and the connection ends
reset       each third answer is reset within its body (INTERNAL_ERROR)
early       103 before the answer, padding, trailers, and a body of many small frames
windows     a stream window of 16 bytes for what is sent here, SETTINGS that change it twice, a PING before each answer
"""
import asyncio
import ssl
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings


class Connection(asyncio.Protocol):
    def __init__(self, script):
        self._script = script
        self._h2 = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self._seen = self._answered = 0

    def connection_made(self, transport):
        self._transport = transport
        self._h2.initiate_connection()
        if self._script == "windows":
            self._h2.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 16})
        self._flush()

    def data_received(self, data):
        try:
            events = self._h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            events = []
        for event in events:
            if isinstance(event, h2.events.StreamEnded) and not self._transport.is_closing():
                self._answer(event.stream_id)
        self._flush()

    def _flush(self):
        self._transport.write(self._h2.data_to_send())

    def _answer(self, stream):
        self._seen += 1
        if self._script == "refuse" and self._seen % 3 == 0:
            self._h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
            return
        body = b"an answer\n" * 20
        head = [(":status", "200"), ("content-type", "text/plain")]
        if self._script == "early":
            self._h2.send_headers(stream, [(":status", "103"), ("link", "</a>; rel=preload")])
            self._h2.send_headers(stream, head)
            for at in range(0, len(body), 10):
                self._h2.send_data(stream, body[at:at + 10], pad_length=7)
            self._h2.send_headers(stream, [("checksum", "none")], end_stream=True)
            return
        if self._script == "windows":
            self._h2.ping(b"question")
            self._h2.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 16 + self._seen % 2})
        self._h2.send_headers(stream, [*head, ("content-length", str(len(body)))])
        if self._script == "reset" and self._seen % 3 == 0:
            self._h2.send_data(stream, body[:50])
            self._h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
            return
        self._h2.send_data(stream, body, end_stream=True)
        self._answered += 1
        if self._script in ("leave", "enhance") and self._answered == 10:
            code = h2.errors.ErrorCodes.NO_ERROR if self._script == "leave" else h2.errors.ErrorCodes.ENHANCE_YOUR_CALM
            self._h2.close_connection(error_code=code, last_stream_id=stream)
            self._flush()
            self._transport.close()


async def main(certificate, key, script):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(lambda: Connection(script), "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
