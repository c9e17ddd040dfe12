module rollcall.invalid/http2

go 1.24.0
