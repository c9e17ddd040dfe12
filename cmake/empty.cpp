// Stands in where a library has no source yet to compile.
