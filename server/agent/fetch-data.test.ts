import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import { DataCache } from "./data-cache.ts";
import { fetchData } from "./fetch-data.ts";

const RCLONE = "/usr/bin/rclone";
let folder: string;
let store: string;
let lines: string[];
let child: ChildProcess | null = null;
let server: Server | null = null;

beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-fetch-"));
	store = path.join(folder, "store");
	await mkdir(path.join(store, "set", "deep"), { recursive: true });
	await writeFile(path.join(store, "set", "rows"), "1\n2\n");
	await writeFile(path.join(store, "set", "deep", "more"), "3\n");
	lines = [];
});
afterEach(async () => {
	child?.kill();
	child = null;
	server?.close();
	server = null;
	await rm(folder, { recursive: true, force: true });
});

/** Starts a real rclone server over the store. Returns its address. */
async function serve(protocol: "webdav" | "sftp" = "webdav", ...options: string[]): Promise<string> {
	const process = spawn(RCLONE, ["serve", protocol, store, "--addr", "127.0.0.1:0", "-v", ...options], {
		env: { PATH: "/usr/bin:/bin", HOME: folder, RCLONE_CONFIG: "" } as unknown as NodeJS.ProcessEnv,
		stdio: ["ignore", "ignore", "pipe"],
	});
	child = process;
	return new Promise((resolve, reject) => {
		let said = "";
		process.stderr.on("data", (chunk: Buffer) => {
			said += chunk.toString();
			const address = /(?:http:\/\/|listening on )(127\.0\.0\.1:\d+)/.exec(said)?.[1];
			if (address) resolve(address);
		});
		process.once("exit", () => reject(new Error(said)));
	});
}

async function listen(answering: Server): Promise<string> {
	server = answering;
	await new Promise<void>((resolve) => answering.listen(0, "127.0.0.1", resolve));
	return `127.0.0.1:${(answering.address() as AddressInfo).port}`;
}

function fetched(
	uri: string,
	{
		remotes = {},
		ownHost = false,
		cache = null,
		signal,
	}: { remotes?: DataRemotes; ownHost?: boolean; cache?: DataCache | null; signal?: AbortSignal } = {},
) {
	const target = path.join(folder, `target-${lines.length}-${Math.random()}`);
	const fetching = { remotes, rclone: async () => RCLONE, ownHost, cache, log: (text: string) => void lines.push(text) };
	return fetchData(uri, target, fetching, signal).then(() => target);
}

describe.skipIf(!existsSync(RCLONE))("fetchData, by a real rclone (skipped where none is installed)", () => {
	it("fetches a folder and a single file from a WebDAV server", async () => {
		const at = await serve();
		const target = await fetched(`webdav://${at}/set`);
		expect(await readFile(path.join(target, "deep", "more"), "utf8")).toBe("3\n");
		expect(await readFile(path.join(target, "rows"), "utf8")).toBe("1\n2\n");
		expect(await readFile(await fetched(`webdav://${at}/set/rows`), "utf8")).toBe("1\n2\n");
		expect(lines.at(-1)).toMatch(/^staged webdav:.*: 4 bytes fetched in \d/);
	});

	it("fetches one file, and a listed folder, from a web server", async () => {
		const pages: Record<string, string> = {
			"/set/": '<a href="rows">rows</a><a href="deep/">deep/</a>',
			"/set/deep/": '<a href="more">more</a>',
		};
		const at = await listen(
			createServer((req, res) => {
				const { pathname, search } = new URL(req.url ?? "/", "http://x");
				const page = pages[pathname];
				const body =
					page ?? { "/set/rows": "1\n2\n", "/set/deep/more": "3\n", "/signed": search === "?sig=a%2Fb" ? "mine" : "" }[pathname] ?? "";
				res.writeHead(body === "" ? 403 : 200, {
					"content-type": page === undefined ? "application/octet-stream" : "text/html",
					"content-length": body.length,
				});
				res.end(req.method === "HEAD" ? undefined : body);
			}),
		);
		expect(await readFile(await fetched(`http://${at}/signed?sig=a%2Fb`), "utf8")).toBe("mine");
		expect(await readFile(await fetched(`http://${at}/set/rows`), "utf8")).toBe("1\n2\n");
		expect(await readFile(path.join(await fetched(`http://${at}/set/`), "deep", "more"), "utf8")).toBe("3\n");
	});

	it("leaves the signature of an address out of its messages", async () => {
		const message = await fetched("http://127.0.0.1:9/signed?sig=a%2Fb&x=1").then(() => "", String);
		expect(message).toMatch(/127\.0\.0\.1:9\/signed\?sig=…&x=1/);
	});

	it("fetches only changes again, and deletes what no longer exists", async () => {
		const at = await serve();
		const cache = new DataCache(path.join(folder, "cache"));
		const first = await fetched(`webdav://${at}/set`, { cache });
		// A job may modify its copy freely.
		await writeFile(path.join(first, "rows"), "overwritten");
		expect(await readFile(path.join(await fetched(`webdav://${at}/set`, { cache }), "rows"), "utf8")).toBe("1\n2\n");
		expect(lines.at(-1)).toMatch(/0 bytes fetched .*the rest was already here/);
		await writeFile(path.join(store, "set", "new"), "12345");
		await rm(path.join(store, "set", "deep"), { recursive: true });
		child?.kill();
		// The cache is keyed by URI, so the next one is fetched whole.
		const lake = async (): Promise<DataRemotes> => ({ lake: { type: "webdav", vendor: "other", url: `http://${await serve()}` } });
		const fresh = await fetched("rclone://lake/set", { cache, remotes: await lake() });
		expect((await readdir(fresh)).sort()).toEqual(["new", "rows"]);
		await writeFile(path.join(store, "set", "newer"), "123456");
		await rm(path.join(store, "set", "new"));
		child?.kill();
		const last = await fetched("rclone://lake/set", { cache, remotes: await lake() });
		expect((await readdir(last)).sort()).toEqual(["newer", "rows"]);
		expect(lines.at(-1)).toMatch(/6 bytes fetched/);
	});

	it("rejects what came broken, by the checksum that the store has", async () => {
		const { at } = await s3With("rows", { body: "12x4", md5Of: "1234" });
		const remotes = { s3: { type: "s3", provider: "Other", endpoint: `http://${at}`, access_key_id: "a", secret_access_key: "b" } };
		await expect(fetched("s3://acme/rows", { remotes })).rejects.toThrow(/corrupted on transfer/);
	});

	it("fetches from an object store with the operator's credentials", async () => {
		const { at, seen } = await s3With("rows", { body: "1234", md5Of: "1234" });
		const remotes = { s3: { type: "s3", provider: "Other", endpoint: `http://${at}`, access_key_id: "OURKEY", secret_access_key: "b" } };
		expect(await readFile(await fetched("s3://acme/rows", { remotes }), "utf8")).toBe("1234");
		expect(seen.some((authorization) => authorization.includes("OURKEY"))).toBe(true);
	});

	it("fetches from a server with SSH as the operator's user, but not without its password", async () => {
		const at = await serve("sftp", "--user", "spillway", "--pass", "of the lake");
		const pass = execFileSync(RCLONE, ["obscure", "of the lake"], { encoding: "utf8" }).trim();
		const remote = { type: "sftp", user: "spillway", shell_type: "none" };
		const target = await fetched(`sftp://${at}/set`, { remotes: { "127.0.0.1": { ...remote, pass } } });
		expect(await readFile(path.join(target, "deep", "more"), "utf8")).toBe("3\n");
		const wrong = execFileSync(RCLONE, ["obscure", "of the sea"], { encoding: "utf8" }).trim();
		await expect(fetched(`sftp://${at}/set`, { remotes: { "127.0.0.1": { ...remote, pass: wrong } } })).rejects.toThrow(
			/unable to authenticate/,
		);
	});

	it("reports missing data in rclone's words, and ends when asked to", async () => {
		const at = await serve();
		await expect(fetched(`webdav://${at}/no/such`)).rejects.toThrow(/not found/);
		const stop = new AbortController();
		stop.abort(new Error("asked to stop"));
		await expect(fetched(`webdav://${at}/set`, { signal: stop.signal })).rejects.toThrow("asked to stop");
	});
});

it.each(["http://127.0.0.1/x", "webdav://localhost/x", "http://169.254.169.254/latest/", "http://[::1]/x", "http://[::ffff:127.0.0.1]/x"])(
	"prevents a job from making a company's own host fetch from itself or its metadata: %s",
	async (uri) => {
		await expect(fetched(uri, { ownHost: true })).rejects.toThrow(/this host or its cloud's metadata service/);
	},
);

it("names the remote that is missing", async () => {
	await expect(fetched("rclone://lake/x")).rejects.toThrow(/no data remote "lake"/);
	await expect(fetched("sftp://ann@files.acme/x")).rejects.toThrow(/no data remote "files.acme"/);
});

it("deletes data that was not used for a week", async () => {
	const cache = new DataCache(path.join(folder, "cache"));
	await cache.keep("s3://a/old", path.join(store, "set"));
	const [entry = ""] = await readdir(path.join(folder, "cache"));
	const long = new Date(Date.now() - 8 * 24 * 3_600_000);
	await utimes(path.join(folder, "cache", `${entry}.json`), long, long);
	await cache.keep("s3://a/new", path.join(store, "set"));
	expect(await cache.fill("s3://a/old", path.join(folder, "x"))).toBe(false);
	expect(await cache.fill("s3://a/new", path.join(folder, "y"))).toBe(true);
});

describe("a cache of 10 bytes", () => {
	let cache: DataCache;
	let count = 0;
	beforeEach(() => {
		cache = new DataCache(path.join(folder, "cache"), 10);
	});
	/** Keeps six bytes; the ages of all sets so far are in order of use. */
	const keep = async (uri: string) => {
		await cache.keep(uri, path.join(store, "set"));
		await age();
	};
	const use = async (uri: string) => {
		const found = await cache.fill(uri, path.join(folder, `used-${++count}`));
		await age();
		return found;
	};
	/** File systems keep times too coarse to order uses in a test, so what was used before becomes a minute older. */
	const age = async () => {
		for (const name of await readdir(path.join(folder, "cache"))) {
			const file = path.join(folder, "cache", name);
			const before = new Date((await stat(file)).mtimeMs - 60_000);
			await utimes(file, before, before);
		}
	};
	const kept = async () => (await cache.list()).map(({ uri }) => uri);

	it("drops the sets used longest ago until the new one fits, and nothing that is not its own", async () => {
		await writeFile(path.join(folder, "store", "set", "rows"), "1");
		await rm(path.join(folder, "store", "set", "deep"), { recursive: true });
		await writeFile(path.join(folder, "store", "set", "more"), "123");
		await keep("s3://a/one");
		await keep("s3://a/two");
		await writeFile(path.join(folder, "cache", "notes.txt"), "not Spillway's");
		expect(await use("s3://a/one")).toBe(true);
		await keep("s3://a/three");
		expect(await kept()).toEqual(["s3://a/one", "s3://a/three"]);
		expect(await cache.list()).toMatchObject([{ bytes: 4 }, { bytes: 4 }]);
		expect(await use("s3://a/two")).toBe(false);
		expect(await readFile(path.join(folder, "cache", "notes.txt"), "utf8")).toBe("not Spillway's");
	});

	it("keeps no set that is larger, and keeps sets of any age", async () => {
		await keep("s3://a/small");
		for (let minute = 0; minute < 3; minute++) await age();
		await writeFile(path.join(folder, "store", "set", "rows"), "12345678901");
		await keep("s3://a/large");
		expect(await kept()).toEqual(["s3://a/small"]);
		const long = new Date(Date.now() - 30 * 24 * 3_600_000);
		for (const name of await readdir(path.join(folder, "cache"))) await utimes(path.join(folder, "cache", name), long, long);
		await writeFile(path.join(folder, "store", "set", "rows"), "1");
		await rm(path.join(folder, "store", "set", "deep"), { recursive: true });
		await keep("s3://a/small-too");
		expect(await kept()).toEqual(["s3://a/small", "s3://a/small-too"]);
	});
});

/** Implements just enough of S3 to fetch one object. The body may differ from its checksum. */
async function s3With(key: string, { body, md5Of }: { body: string; md5Of: string }): Promise<{ at: string; seen: string[] }> {
	const seen: string[] = [];
	const etag = `"${createHash("md5").update(md5Of).digest("hex")}"`;
	const answering = createServer((req, res) => {
		seen.push(req.headers.authorization ?? "");
		if (!new URL(req.url ?? "/", "http://x").pathname.endsWith(`/${key}`)) return void res.writeHead(404).end();
		res.writeHead(200, {
			etag,
			"content-length": String(body.length),
			"last-modified": "Mon, 02 Nov 2026 10:00:00 GMT",
			"content-type": "text/plain",
		});
		res.end(req.method === "HEAD" ? undefined : body);
	});
	return { at: await listen(answering), seen };
}
