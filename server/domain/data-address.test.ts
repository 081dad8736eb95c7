import { describe, expect, it } from "vitest";
import { dataAddressOf } from "./data-address.ts";
import { parseRemotes, remotesFor } from "./data-remotes.ts";

describe("dataAddressOf", () => {
	it.each([
		["s3://acme/claims/2026", { kind: "s3", path: "acme/claims/2026", remote: "s3" }],
		["s3://acme", { kind: "s3", path: "acme", remote: "s3" }],
		["gs://acme/a%20b/", { kind: "gs", path: "acme/a b/", remote: "gs" }],
		["azblob://acme/box/set", { kind: "azblob", path: "box/set", remote: "azblob", account: "acme" }],
		["https://acme.blob.core.windows.net/box/set", { kind: "azblob", path: "box/set", remote: "azblob", account: "acme" }],
		// A signature is valid only for this address.
		[
			"https://acme.blob.core.windows.net/box/f?sig=x",
			{ kind: "http", path: "box/f", remote: null, url: "https://acme.blob.core.windows.net/box/f?sig=x" },
		],
		[
			"sftp://ann@files.acme:2222/srv/set",
			{ kind: "sftp", path: "/srv/set", remote: "files.acme", url: "files.acme", user: "ann", port: 2222 },
		],
		["sftp://files.acme/~/set", { kind: "sftp", path: "set", remote: "files.acme", url: "files.acme" }],
		["webdavs://dav.acme:8443/set", { kind: "webdav", path: "set", remote: "dav.acme", url: "https://dav.acme:8443" }],
		["https://acme.test/set/", { kind: "http", path: "set/", remote: null, url: "https://acme.test/set/" }],
		["rclone://lake/raw/2026", { kind: "remote", path: "raw/2026", remote: "lake" }],
		["rclone://lake/../a..b/%2E%2E/c", { kind: "remote", path: "c", remote: "lake" }],
		["file:///folder", { kind: "file", path: "///folder", remote: null }],
	])("reads %s", (uri, address) => {
		expect(dataAddressOf(uri)).toEqual(address);
	});

	it.each([
		["file:./folder", /must be absolute, for example file:\/\/\/data\/in/],
		["s3:acme", /s3: needs a location after it, for example s3:\/\/bucket\/path/],
		["s3:///path", /needs a location/],
		["azblob://acme", /needs a container too/],
		["rclone://lake/a%2F..%2F..%2Fsecret", /must not contain ".."/],
		["s3://acme%2F..%2Fother/x", /must not contain ".."/],
		["sftp://files.acme/set%2F..", /must not contain ".."/],
		["rclone://lake/a%00b", /control characters/],
		["rclone://lake/a%0A", /control characters/],
		["hdfs://name/path", /hdfs: is not a supported kind of store; use file:, s3:, gs:/],
	])("rejects %s", (uri, why) => {
		expect(() => dataAddressOf(uri)).toThrow(why);
	});
});

describe("parseRemotes", () => {
	it("reads sections and skips comments", () => {
		const text = "# ours\n[s3]\ntype = s3\nsecret_access_key = a=b\n\n[lake]\r\nType = sftp\r\n; old\r\n";
		expect(parseRemotes(text)).toEqual({ s3: { type: "s3", secret_access_key: "a=b" }, lake: { type: "sftp" } });
	});

	it.each([
		["type = s3", /line 1 is neither/],
		["[a]\ntype = s3\nnonsense", /line 3 is neither/],
		["[a]\nhost = b", /the remote a has no type/],
		["# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAbc=", /encrypted by rclone/],
	])("rejects %j", (text, why) => {
		expect(() => parseRemotes(text)).toThrow(why);
	});
});

it("gives a job only the remotes that its data needs", () => {
	const remotes = { s3: { type: "s3" }, gs: { type: "gcs" }, lake: { type: "sftp" } };
	expect(remotesFor([{ uri: "rclone://lake/x" }, { uri: "file:/x" }, { uri: "nonsense:" }], remotes)).toEqual({ lake: { type: "sftp" } });
});
