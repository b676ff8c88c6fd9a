module github.com/tomcatopenssl/benchmark/load

go 1.19
