import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { downloadFiles, uploadFiles } from "#server/agent/rclone/store-files.ts";
import { type OpenStore, STORE_SECRETS, storeConfigSchema } from "#server/domain/store.ts";
import { ObjectStoreEmulator } from "#server/emulators/objects/emulator.ts";
import { grantAzure } from "./grant-azure.ts";
import { accessBoundary, grantGcs } from "./grant-gcs.ts";
import { RcloneStores } from "./rclone-stores.ts";

const KEYS = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "a-secret-of-the-store" };
const stores = new RcloneStores(rcloneOfHost);
const HOUR_MS = 3_600_000;
let folder: string;
let program: string;
let emulator: ObjectStoreEmulator;
let nowMs = Date.now();

beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-stores-"));
	program = await rcloneOfHost();
	emulator = await ObjectStoreEmulator.start({ folder: path.join(folder, "objects"), buckets: ["models"], ...KEYS, nowMs: () => nowMs });
	for (const [name, content] of Object.entries({ a: "alpha", b: "beta" })) await writeFile(path.join(folder, name), content);
});
afterAll(async () => {
	await emulator.close();
	await rm(folder, { recursive: true, force: true });
});

function s3(more: Record<string, unknown> = {}): OpenStore {
	const config = storeConfigSchema.parse({
		kind: "s3",
		bucket: "models",
		prefix: "team-a",
		endpoint: emulator.url,
		stsEndpoint: emulator.url,
		...more,
	});
	return { id: "sto_1", config, secret: KEYS } as OpenStore;
}

const write = { folder: "artifacts/one", mode: "write" as const, lifetimeMs: HOUR_MS, session: "att_one" };

describe.each([
	{ by: "GetFederationToken", more: {} },
	{ by: "AssumeRole", more: { provider: "Minio" } },
])("S3 credentials by $by", ({ more }) => {
	it("write and read below their folder, and nowhere else", async () => {
		const store = s3(more);
		const { options, path: own } = await stores.grant(store, write);
		expect(options).not.toMatchObject({ access_key_id: KEYS.accessKeyId });
		await uploadFiles(folder, ["a"], { program, remote: { options, path: own } });
		expect(await stores.list(store, "artifacts/one")).toEqual(new Map([["a", 5]]));
		const elsewhere = uploadFiles(folder, ["a"], { program, remote: { options, path: "models/team-a/artifacts/two" } });
		await expect(elsewhere).rejects.toThrow(/AccessDenied|Forbidden/);
		expect(await stores.list(store, "artifacts/two")).toEqual(new Map());
	});

	it("for reading cannot write", async () => {
		const granted = await stores.grant(s3(more), { ...write, mode: "read", session: "att_reader" });
		await expect(uploadFiles(folder, ["b"], { program, remote: granted })).rejects.toThrow(/AccessDenied|Forbidden/);
		await downloadFiles(path.join(folder, "read"), ["a"], { program, remote: granted });
		expect(await readFile(path.join(folder, "read/a"), "utf8")).toBe("alpha");
	});

	it("end by themselves", async () => {
		const granted = await stores.grant(s3(more), { ...write, session: "att_ending" });
		nowMs += 2 * HOUR_MS;
		await expect(uploadFiles(folder, ["b"], { program, remote: granted })).rejects.toThrow(/expired|ExpiredToken|Bad Request/i);
		nowMs = Date.now();
	});
});

it("signs URLs that download a range of one object without credentials, until they expire", async () => {
	const store = s3();
	await stores.upload(store, { folder, paths: ["a"] }, "artifacts/signed (1)");
	const url = await stores.signUrl(store, "artifacts/signed (1)/a", { seconds: 60, fileName: "α.txt", mediaType: "text/plain" });
	const answer = await fetch(url ?? "", { headers: { range: "bytes=1-3" } });
	expect([answer.status, await answer.text(), answer.headers.get("content-type")]).toEqual([206, "lph", "text/plain"]);
	expect((await fetch((url ?? "").replace("/a?", "/b?"))).status).toBe(403);
	nowMs += 120_000;
	expect((await fetch(url ?? "")).status).toBe(403);
	nowMs = Date.now();
});

it("reads, lists and deletes with the store's own keys", async () => {
	const store = s3();
	await stores.upload(store, { folder, paths: ["a", "b"] }, "mine");
	expect(await text(stores.read(store, "mine/b", { start: 1, end: 2 }))).toBe("et");
	await stores.remove(store, "mine", ["a"]);
	expect(await stores.list(store, "mine")).toEqual(new Map([["b", 4]]));
	await stores.remove(store, "mine");
	await stores.remove(store, "mine");
	expect(await stores.list(store, "mine")).toEqual(new Map());
});

it("exchanges a service account's token for one of a single folder", async () => {
	const { privateKey } = generateKeyPairSync("rsa", {
		modulusLength: 2048,
		privateKeyEncoding: { type: "pkcs8", format: "pem" },
		publicKeyEncoding: { type: "spki", format: "pem" },
	});
	const seen: Record<string, string>[] = [];
	const server = createServer(async (request, response) => {
		const form = Object.fromEntries(new URLSearchParams(await text(request)));
		seen.push(form);
		const answer = request.url === "/token" ? { access_token: "own", expires_in: 3_000 } : { access_token: "narrow", expires_in: 9_000 };
		response.end(JSON.stringify(answer));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const key = JSON.stringify({ client_email: "spillway@acme.iam.gserviceaccount.com", private_key: privateKey, token_uri: `${url}/token` });
	const config = storeConfigSchema.parse({ kind: "gcs", bucket: "models", prefix: "team-a", stsEndpoint: url });
	const store = { id: "sto_2", config, secret: { serviceAccountKey: key } } as OpenStore;
	const granted = await grantGcs(store, config as Extract<typeof config, { kind: "gcs" }>, write);
	server.close();
	expect(JSON.parse(granted.options["token"] ?? "")).toMatchObject({ access_token: "narrow", token_type: "Bearer" });
	expect(granted.expiresAtMs - Date.now()).toBeLessThanOrEqual(3_000_000);
	expect(seen[1]).toMatchObject({
		subject_token: "own",
		options: JSON.stringify(accessBoundary({ bucket: "models", prefix: "team-a" }, write)),
	});
});

it.each([
	[{ kind: "s3", bucket: "models", endpoint: "http://169.254.169.254" }, /metadata service/],
	[{ kind: "s3", bucket: "models", stsEndpoint: "http://[fd00:ec2::254]/" }, /metadata service/],
	[{ kind: "webdav", url: "https://metadata.google.internal/x" }, /metadata service/],
	[{ kind: "gcs", bucket: "models", prefix: "team-*" }, /must not contain/],
	[{ kind: "s3", bucket: "models", prefix: "$" + "{aws:username}" }, /must not contain/],
	[{ kind: "s3", bucket: "models", prefix: "a/../b" }, /relative path/],
	[{ kind: "folder", path: "/mnt/../etc" }, /absolute path/],
	[{ kind: "folder", path: "/mnt/a\u0000b" }, /control characters/],
])("a store cannot be at %j", (config, problem) => {
	const { error } = storeConfigSchema.safeParse(config);
	expect(error?.issues.map(({ message }) => message).join()).toMatch(problem);
	const key = { client_email: "a@b", private_key: "k", token_uri: "http://169.254.169.254/token" };
	expect(STORE_SECRETS.gcs.safeParse({ serviceAccountKey: JSON.stringify(key) }).success).toBe(false);
});

it("signs for a folder of a hierarchical Azure account, and for the container of a flat one", () => {
	const base = { kind: "azblob", account: "acme", container: "models", prefix: "team-a" };
	const secret = { accountKey: Buffer.from("a key").toString("base64") };
	const urls = [true, false].map((hierarchical) => {
		const config = storeConfigSchema.parse({ ...base, hierarchical });
		const store = { id: "sto_3", config, secret } as OpenStore;
		return new URL(grantAzure(store, config as Extract<typeof config, { kind: "azblob" }>, write, Date.now()).options["sas_url"] ?? "")
			.searchParams;
	});
	expect(urls.map((query) => [query.get("sr"), query.get("sdd"), query.get("sp"), query.get("spr")])).toEqual([
		["d", "3", "racw", "https"],
		["c", null, "racwl", "https"],
	]);
});
