// A placeholder where a library has no source yet to compile.
