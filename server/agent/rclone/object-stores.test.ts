import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import { fetchData } from "../fetch-data.ts";
import { type ObjectStore, startBlobStore, startGcsStore } from "../testing/object-stores.ts";

const RCLONE = "/usr/bin/rclone";
const LONG = "0123456789".repeat(20_000);
const OBJECTS = { "set/rows": "1\n2\n", "set/deep/more": "3\n", "set/third": "x", "set-beside": "y", long: LONG };
const SAS = "sv=2020-10-02&ss=b&srt=sco&sp=rl&se=2030-01-01T00%3A00%3A00Z&sig=c2VjcmV0b2ZvdXJz";
const EMAIL = "reader@acme.iam.gserviceaccount.com";
const KEYS = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const OTHER_KEYS = generateKeyPairSync("rsa", { modulusLength: 2_048 });

function blobRemotes(url: string, sas = SAS): DataRemotes {
	return { azblob: { type: "azureblob", sas_url: `${url}/?${sas}` } };
}

function gcsRemotes(url: string, { privateKey } = KEYS): DataRemotes {
	const key = {
		...{ type: "service_account", client_email: EMAIL, private_key_id: "1", token_uri: `${url}/token` },
		private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
	};
	const credentials = JSON.stringify(key);
	return { gs: { type: "google cloud storage", endpoint: `${url}/storage/v1/`, service_account_credentials: credentials } };
}

const STORES = [
	{
		name: "Azure Blob Storage",
		uri: "azblob://acme/claims",
		open: () => startBlobStore("claims", OBJECTS, SAS),
		remotes: blobRemotes,
		wrong: (url: string) => blobRemotes(url, SAS.replace(/sig=.*/, "sig=c29tZWJvZHlzZWxzZQ")),
		refusal: /AuthenticationFailed|failed to authenticate/,
		list: /^GET \/claims\?comp=list/,
	},
	{
		name: "Google Cloud Storage",
		uri: "gs://claims",
		open: () => startGcsStore("claims", OBJECTS, { email: EMAIL, publicKey: KEYS.publicKey }),
		remotes: gcsRemotes,
		wrong: (url: string) => gcsRemotes(url, OTHER_KEYS),
		refusal: /invalid_grant.*Invalid JWT Signature/,
		list: /^GET \/storage\/v1\/b\/claims\/o\?/,
	},
];

describe.skipIf(!existsSync(RCLONE)).each(STORES)("$name, read by a real rclone (skipped where none is installed)", (kind) => {
	interface Scene {
		store: ObjectStore;
		lines: string[];
		fetched(what: string, remotes?: DataRemotes): Promise<string>;
	}

	/** The cases run concurrently, because rclone retries a refusing store three times, a second apart. */
	function scene(title: string, play: (scene: Scene) => Promise<void>): void {
		it.concurrent(title, async () => {
			const folder = await mkdtemp(path.join(tmpdir(), "spillway-stores-"));
			const store = await kind.open();
			const lines: string[] = [];
			const log = (text: string) => void lines.push(text);
			const fetched = async (what: string, remotes = kind.remotes(store.url)) => {
				const target = path.join(folder, "target");
				await fetchData(`${kind.uri}${what}`, target, { remotes, rclone: async () => RCLONE, ownHost: false, cache: null, log });
				return target;
			};
			try {
				await play({ store, lines, fetched });
			} finally {
				await store.stop();
				await rm(folder, { recursive: true, force: true });
			}
		});
	}

	scene("brings a folder, page by page, and nothing beside it", async ({ store, lines, fetched }) => {
		const target = await fetched("/set");
		expect((await readdir(target, { recursive: true })).sort()).toEqual(["deep", "deep/more", "rows", "third"]);
		expect(await readFile(path.join(target, "deep", "more"), "utf8")).toBe("3\n");
		expect(store.seen.filter((call) => kind.list.test(call)).length).toBeGreaterThanOrEqual(3);
		expect(lines.at(-1)).toMatch(/7 bytes fetched/);
	});

	scene("brings one object, and when the connection breaks only what is missing of it", async ({ store, fetched }) => {
		store.cutOnce("long", 150_000);
		expect(await readFile(await fetched("/long"), "utf8")).toBe(LONG);
		const offsets = store.seen.flatMap((call) => / from (\d+)$/.exec(call)?.[1] ?? []);
		expect(offsets).toHaveLength(1);
		expect(Number(offsets[0])).toBeGreaterThan(0);
		expect(Number(offsets[0])).toBeLessThanOrEqual(150_000);
	});

	scene("refuses what came broken, by the checksum that the store has", async ({ store, fetched }) => {
		store.spoil("set/rows");
		await expect(fetched("/set/rows")).rejects.toThrow(/corrupted on transfer/);
	});

	scene("says that the credentials were refused, in the store's words and without them", async ({ store, lines, fetched }) => {
		const message = await fetched("/set", kind.wrong(store.url)).then(() => "", String);
		expect(message).toMatch(kind.refusal);
		expect(message + lines.join("\n")).not.toMatch(/sig=|c29tZWJvZHlzZWxzZQ|PRIVATE KEY/);
	});

	scene("says that nothing is there, rather than bring nothing", async ({ fetched }) => {
		await expect(fetched("/no-such")).rejects.toThrow(/nothing found at .*no-such/);
	});
});
