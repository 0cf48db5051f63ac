# The commands of the project. "make" alone runs the tests.

FUZZTIME ?= 30s
SOAKTIME ?= 1h
PACKAGES = ./...
PACKREPO ?= /tmp/sha1dc-packrepo

.PHONY: $(shell sed -n 's/^\([a-z]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

test: ## tests of this machine's platform, under 3 minutes
	go test $(PACKAGES)

generate: ## write the generated files again
	cd sha1dc && env -u GOOS -u GOARCH go generate ./...

verify: ## the generated files are what the generator writes, and are proved
	scripts/verify.sh

mutate: ## damage kernels in hundreds of ways, and see that none is proved
	go run ./gen mutate

hosts: ## prove that a generator on arm64 writes the same (needs qemu-user)
	scripts/hosts.sh

mca: ## estimate the kernels' speed on processors that are not here
	scripts/mca.sh

bench: ## compare with crypto/sha1 and other implementations, in one run
	cd peers && go run ./bench

benchmany: ## the same for many messages at once
	cd peers && go run ./bench -many

pause: ## how long garbage collections wait for a hash
	go test -run '^$$' -bench Pause -benchtime 5x ./sha1dc

fuzz: ## every fuzz target for FUZZTIME
	scripts/fuzz.sh $(FUZZTIME)

soak: ## random calls in 64 goroutines beside a model, for SOAKTIME
	SHA1DC_SOAK=$(SOAKTIME) go test -count=1 -timeout 0 -v -run '^TestSoak$$' ./sha1dc

big: ## a message of 4 GiB and one byte beside crypto/sha1
	SHA1DC_BIG=1 go test -count=1 -v -run '^TestBigMessage$$' ./sha1dc

lint: ## formatting, vet for several platforms and tags, module files
	scripts/lint.sh

encodings: ## no VEX instruction where a processor may have no AVX (needs binutils)
	scripts/encodings.sh

race: ## tests under the race detector, with pointer checks
	go test -race -short -timeout 20m $(PACKAGES)
	go test -short -gcflags=all=-d=checkptr=2 ./sha1dc

platforms: ## tests on other architectures, emulated (needs qemu-user and node)
	scripts/platforms.sh

portable: ## plans solved for other architectures, emulated: the same bytes (needs qemu-user)
	scripts/portable.sh

costs: ## cycles of a filter instruction and of a survivor in each kernel, on this machine
	go run ./gen/costs

cross: ## builds for every platform that Go knows
	scripts/cross.sh

consumer: ## what a module that imports the runtime gets
	scripts/consumer.sh

filters: ## the kernels' filters against their plans, on 10^7 schedules each
	SHA1DC_SCHEDULES=5000000 go test -count=1 -timeout 60m -run TestFilterEqualsPlan ./sha1dc

curve: ## the fewest survivors for each number of groups, with proofs, some minutes
	go test -count=1 -timeout 0 -v -run 'TestCurvePublished|TestSingleConditions' ./internal/solver -prove 1500

stream: ## forensics on a stream of 1 GiB, in bounded memory
	SHA1DC_STREAM_MIB=1024 go test -count=1 -run TestLongStream -v ./forensics

packbench: ## index-pack beside git's on a pack of 5 GB, built in PACKREPO once
	scripts/packbench.sh $(PACKREPO)

peers: ## comparison with other implementations (needs a C compiler)
	cd peers && go vet ./... && go test -count=1 ./...
