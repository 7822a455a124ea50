module example.com/client-go-workshop

go 1.26.0
