import { expect, it } from "vitest";
import { hasPlainPath, isMetadataHost, isPlainHttpAllowed, isThisHost } from "./hosts.ts";

it.each(["127.0.0.1", "127.8.9.10", "localhost", "[::1]"])("%s is this host", (host) => {
	expect(isThisHost(host)).toBe(true);
	expect(isPlainHttpAllowed(`http://${host}:3000`)).toBe(true);
});

it.each([
	...["10.1.2.3", "192.168.0.9", "172.16.0.1", "172.31.255.1", "100.64.0.7", "100.127.3.4", "169.254.1.1"],
	...["[fd12:3456::1]", "[fe80::1]", "spillway", "spillway.internal", "box.local", "nas.home.arpa"],
])("plain http is allowed to %s, which is within one's own network", (host) => {
	expect(isThisHost(host)).toBe(false);
	expect(isPlainHttpAllowed(`http://${host}:3000/`)).toBe(true);
});

it.each([
	...["spillway.example.com", "8.8.8.8", "172.32.0.1", "172.15.0.1", "100.63.0.1", "100.128.0.1", "11.0.0.1", "192.169.0.1"],
	...["[2001:db8::1]", "10.example.com", "internal.example.com", "127.0.0.1.example.com", "localhost.example.com"],
])("plain http is rejected to %s, which could be any host", (host) => {
	expect(isPlainHttpAllowed(`http://${host}/`)).toBe(false);
	expect(isPlainHttpAllowed(`https://${host}/`)).toBe(true);
});

it.each([
	...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.170.2", "100.100.100.200", "192.0.0.192"],
	...["[::ffff:169.254.169.254]", "[fe80::1]", "[fd00:ec2::254]", "metadata", "METADATA.google.internal", "metadata.google.internal."],
])("%s is a metadata service", (host) => {
	expect(isMetadataHost(new URL(`http://${host}/`).hostname)).toBe(true);
});

it.each(["10.1.2.3", "127.0.0.1", "[fd12::1]", "minio", "metadata.acme.com", "storage.googleapis.com"])("%s is none", (host) => {
	expect(isMetadataHost(new URL(`http://${host}/`).hostname)).toBe(false);
});

it.each([
	["https://spillway.example.com", true],
	["https://Spillway.example.com:8443/", true],
	["https://example.com/spillway", true],
	["https://example.com/tools/spillway-2/", true],
	["https://example.com//spillway", false],
	["https://example.com/a%2Fb", false],
	["https://example.com/?a=1", false],
	["https://example.com/#a", false],
	["https://user@example.com", false],
])("whether %s is a host with a plain path: %s", (address, expected) => {
	expect(hasPlainPath(address)).toBe(expected);
});
