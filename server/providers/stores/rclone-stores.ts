import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { promisify } from "node:util";
import { z } from "zod";
import { environmentOf } from "#server/agent/rclone/run.ts";
import { downloadFiles, uploadFiles } from "#server/agent/rclone/store-files.ts";
import type { OpenStore, StoreGrant } from "#server/domain/store.ts";
import { type GrantedRemote, StoreError, type StorePort } from "../store-port.ts";
import { grantAzure } from "./grant-azure.ts";
import { grantGcs } from "./grant-gcs.ts";
import { grantS3 } from "./grant-s3.ts";
import { ownRemote } from "./own-remote.ts";
import { signUrl } from "./sign-url.ts";

const BRIEF = ["--retries=2", "--low-level-retries=3", "--contimeout=10s", "--timeout=60s"];
const LISTING_BYTES_MAX = 64 * 1024 ** 2;
/** Credentials with less remaining lifetime than this are issued again. */
const REISSUE_BEFORE_MS = 10 * 60_000;

const listing = z.array(z.object({ Path: z.string(), Size: z.number() }));

/** Stores through this host's rclone and the providers' token services. `program` finds rclone. */
export class RcloneStores implements StorePort {
	readonly #program: () => Promise<string>;
	readonly #issued = new Map<string, Promise<GrantedRemote>>();

	constructor(program: () => Promise<string>) {
		this.#program = program;
	}

	async grant(store: OpenStore, grant: StoreGrant): Promise<GrantedRemote> {
		const key = JSON.stringify([store, grant.folder, grant.mode, grant.session]);
		const before = await this.#issued.get(key)?.catch(() => null);
		if (before && before.expiresAtMs - Date.now() > REISSUE_BEFORE_MS) return before;
		const issuing = this.#issue(store, grant);
		this.#issued.set(key, issuing);
		issuing.catch(() => this.#issued.delete(key));
		for (const [other, granted] of this.#issued) {
			const done = await granted.catch(() => null);
			if (done && done.expiresAtMs < Date.now()) this.#issued.delete(other);
		}
		return issuing;
	}

	async #issue(store: OpenStore, grant: StoreGrant): Promise<GrantedRemote> {
		try {
			switch (store.config.kind) {
				case "s3":
					return await grantS3(store, store.config, grant);
				case "gcs":
					return await grantGcs(store, store.config, grant);
				case "azblob":
					return grantAzure(store, store.config, grant, Date.now());
				default:
					throw new StoreError(`a ${store.config.kind} store issues no credentials`);
			}
		} catch (error) {
			throw toStoreError("could not issue credentials", error);
		}
	}

	async list(store: OpenStore, folder: string): Promise<Map<string, number>> {
		const remote = ownRemote(store, folder);
		try {
			const args = ["lsjson", "-R", "--files-only", "--no-modtime", "--no-mimetype", ...BRIEF, `store:${remote.path}`];
			const found = listing.parse(JSON.parse(await this.#run(args, remote.options)));
			return new Map(found.map(({ Path, Size }) => [Path, Size]));
		} catch (error) {
			if (error instanceof StoreError && /not found/i.test(error.message)) return new Map();
			throw error;
		}
	}

	async upload(store: OpenStore, from: { folder: string; paths: readonly string[] }, to: string, signal?: AbortSignal): Promise<void> {
		const transfer = { program: await this.#program(), remote: ownRemote(store, to), signal };
		await uploadFiles(from.folder, from.paths, transfer).catch(rethrow("could not upload"));
	}

	async download(store: OpenStore, from: { folder: string; paths: readonly string[] }, to: string, signal?: AbortSignal): Promise<void> {
		const transfer = { program: await this.#program(), remote: ownRemote(store, from.folder), signal };
		await downloadFiles(to, from.paths, transfer).catch(rethrow("could not download"));
	}

	async remove(store: OpenStore, folder: string, paths?: readonly string[]): Promise<void> {
		const remote = ownRemote(store, folder);
		if (paths?.length === 0) return;
		const tmpFolder = await mkdtemp(path.join(tmpdir(), "spillway-store-"));
		try {
			const list = path.join(tmpFolder, "files");
			if (paths) await writeFile(list, paths.join("\n"));
			await this.#run(["delete", `store:${remote.path}`, ...(paths ? [`--files-from-raw=${list}`] : []), ...BRIEF], remote.options);
		} catch (error) {
			if (!(error instanceof StoreError && /not found/i.test(error.message))) throw error;
		} finally {
			await rm(tmpFolder, { recursive: true, force: true });
		}
	}

	read(store: OpenStore, file: string, range?: { start: number; end: number }): Readable {
		const remote = ownRemote(store, file);
		const part = range ? [`--offset=${range.start}`, `--count=${range.end - range.start + 1}`] : [];
		const output = new PassThrough();
		void this.#program()
			.then((program) => {
				const env = environmentOf({ store: remote.options }, tmpdir()) as NodeJS.ProcessEnv;
				const child = spawn(program, ["cat", `store:${remote.path}`, ...part, ...BRIEF], { env, stdio: ["ignore", "pipe", "ignore"] });
				output.once("close", () => child.kill());
				child.once("error", (error) => output.destroy(error));
				child.stdout.pipe(output, { end: false });
				child.once("close", (code) => (code === 0 ? output.end() : output.destroy(new StoreError("the store ended the download early"))));
			})
			.catch((error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))));
		return output;
	}

	signUrl(store: OpenStore, file: string, options: { seconds: number; fileName: string; mediaType: string }): Promise<string | null> {
		return signUrl(store, file, options);
	}

	async #run(args: string[], options: Record<string, string>): Promise<string> {
		try {
			const env = environmentOf({ store: options }, tmpdir()) as NodeJS.ProcessEnv;
			const { stdout } = await promisify(execFile)(await this.#program(), args, { env, maxBuffer: LISTING_BYTES_MAX });
			return stdout;
		} catch (error) {
			const said = String((error as { stderr?: string }).stderr ?? error).trim();
			throw new StoreError(
				said
					.split("\n")
					.at(-1)
					?.replace(/^\S+ \S+ (Failed to \w+: )?/, "")
					.slice(0, 400) ?? "rclone failed",
			);
		}
	}
}

function rethrow(what: string): (error: unknown) => never {
	return (error) => {
		throw toStoreError(what, error);
	};
}

function toStoreError(what: string, error: unknown): StoreError {
	return error instanceof StoreError
		? error
		: new StoreError(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}
