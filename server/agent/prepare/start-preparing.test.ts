import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fetchData } from "../fetch-data.ts";
import type { PreparedReport, PrepareOrder } from "../protocol.ts";
import { RCLONE, serveStore } from "../testing/serve-store.ts";
import { PreparedData } from "./prepared-data.ts";
import { type PrepareTools, startPreparing } from "./start-preparing.ts";

const PLENTY = 1024 ** 5;
let folder: string;
let bin: string;
let lines: string[];
let stopStore: (() => void) | null = null;
const machine = new AbortController();

beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-prepare-"));
	bin = path.join(folder, "bin");
	await mkdir(bin);
	lines = [];
	vi.stubEnv("PATH", `${bin}:/usr/bin:/bin`);
});
afterEach(async () => {
	stopStore?.();
	stopStore = null;
	vi.unstubAllEnvs();
	await rm(folder, { recursive: true, force: true });
});

/** An engine with a registry that has every image but "acme/missing:1". */
async function docker(pulling = ""): Promise<void> {
	const script = `#!/bin/sh
echo "$*" >> '${bin}/calls'
case "$1" in
  ps) exit 0;;
  image) test -e "${bin}/has-$(echo "$3" | tr -c 'a-z0-9\\n' _)" || { echo 'Error: No such image' >&2; exit 1; }
    echo '[{"Size": 2097152, "RepoDigests": ["x@sha256:ab"], "Config": {}}]';;
  pull) case "$2" in acme/missing:1) echo 'manifest unknown' >&2; exit 1;; esac
    ${pulling}
    : > "${bin}/has-$(echo "$2" | tr -c 'a-z0-9\\n' _)";;
esac
`;
	await writeFile(path.join(bin, "docker"), script);
	await chmod(path.join(bin, "docker"), 0o755);
}

const pulls = async (): Promise<string[]> =>
	(await readFile(path.join(bin, "calls"), "utf8")).split("\n").filter((call) => call.startsWith("pull "));

async function storeWithSet(): Promise<string> {
	const store = path.join(folder, "store");
	await mkdir(path.join(store, "set", "deep"), { recursive: true });
	await writeFile(path.join(store, "set", "rows"), "1\n2\n");
	await writeFile(path.join(store, "set", "deep", "more"), "3\n");
	const { uri, stop } = await serveStore(store);
	stopStore = stop;
	return uri;
}

function prepare(order: Partial<PrepareOrder>, changes: Partial<PrepareTools> = {}) {
	const reports: (readonly PreparedReport[])[] = [];
	const data = new PreparedData(path.join(folder, "prepared"));
	const tools: PrepareTools = {
		...{ data, folder, containers: true, searchPath: bin, machineSignal: machine.signal },
		registryLogin: async () => null,
		rclone: async () => RCLONE,
		freeBytes: async () => PLENTY,
		log: (text) => void lines.push(text),
		onChange: (items) => void reports.push(items),
		...changes,
	};
	return { data, reports, preparing: startPreparing({ images: [], data: [], ...order }, tools) };
}

const dataOf = (uri: string, sizeGiB: number | null = null): PrepareOrder["data"] => [{ uri, from: uri, sizeGiB }];

describe("preparing a machine without a job", () => {
	it("pulls images in order, and goes on after one that cannot be pulled", async () => {
		await docker();
		const { reports, preparing } = prepare({ images: ["acme/missing:1", "acme/train:1"] });
		await preparing.done;
		expect(reports.map((items) => items.length)).toEqual([1, 2]);
		expect(reports.at(-1)).toEqual([
			{ kind: "image", name: "acme/missing:1", bytes: null, digest: null, problem: "acme/missing:1 cannot be pulled: manifest unknown" },
			{ kind: "image", name: "acme/train:1", bytes: 2_097_152, digest: "sha256:ab", problem: null },
		]);
	});

	it("stops in the middle of a pull, and starts nothing more", async () => {
		await docker(`: > '${bin}/began'; exec sleep 600`);
		const { reports, preparing } = prepare({ images: ["acme/train:1", "acme/train:2"] });
		await vi.waitUntil(() => existsSync(path.join(bin, "began")), { timeout: 600_000 });
		await preparing.stop();
		expect(reports).toEqual([]);
		expect(await pulls()).toEqual(["pull acme/train:1"]);
	});

	it("does not wait for an engine that is being installed when a job arrives", async () => {
		await writeFile(path.join(bin, "apt-get"), `#!/bin/sh\n: > '${bin}/began'; exec sleep 600\n`);
		await chmod(path.join(bin, "apt-get"), 0o755);
		const ended = new AbortController();
		const { reports, preparing } = prepare({ images: ["acme/train:1"] }, { machineSignal: ended.signal });
		await vi.waitUntil(() => existsSync(path.join(bin, "began")), { timeout: 600_000 });
		await preparing.stop();
		expect(reports).toEqual([]);
		ended.abort();
	});

	it.each([
		["image", { images: ["acme/train:1"] }, { freeBytes: async () => 1024 ** 3 }, "the disk has 1.0 GiB free, and 20.0 GiB are needed"],
		["image", { images: ["acme/train:1"] }, { containers: false }, "this instance runs commands without containers"],
		[
			"data",
			{ data: dataOf("s3://acme/set", 6) },
			{ freeBytes: async () => 10 * 1024 ** 3 },
			"the disk has 10.0 GiB free, and 12.0 GiB are needed",
		],
		["data", { data: dataOf("https://acme.example/set.tar") }, {}, "a plain web address is fetched by the job itself"],
	] as const)("reports why it does not prepare: %s", async (kind, order, changes, problem) => {
		const { reports, preparing } = prepare({ images: [], data: [], ...order } as PrepareOrder, changes);
		await preparing.done;
		expect(reports.at(-1)).toEqual([expect.objectContaining({ kind, bytes: null, problem })]);
	});
});

describe.skipIf(!existsSync(RCLONE))("data of a machine without a job, by a real rclone (skipped where none is installed)", () => {
	const fetching = (data: PreparedData) => ({
		...{ remotes: {}, rclone: async () => RCLONE, ownHost: false, cache: data },
		log: (text: string) => void lines.push(text),
	});

	it("is moved to the job that takes the machine, and not fetched again", async () => {
		const uri = `${await storeWithSet()}/set`;
		const { data, reports, preparing } = prepare({ data: dataOf(uri) });
		await preparing.done;
		expect(reports.at(-1)).toEqual([{ kind: "data", name: uri, bytes: 6, digest: null, problem: null }]);
		const target = path.join(folder, "job-data");
		await fetchData(uri, target, fetching(data));
		expect(await readFile(path.join(target, "deep", "more"), "utf8")).toBe("3\n");
		expect(lines.at(-1)).toMatch(/: 0 bytes fetched in .* the rest was already here$/);
		expect(await readdir(path.join(folder, "prepared"))).toEqual([]);
	});

	it("is fetched again where its source changed meanwhile", async () => {
		const uri = `${await storeWithSet()}/set`;
		const { data, preparing } = prepare({ data: dataOf(uri) });
		await preparing.done;
		await writeFile(path.join(folder, "store", "set", "rows"), "other\n");
		const target = path.join(folder, "job-data");
		await fetchData(uri, target, fetching(data));
		expect(await readFile(path.join(target, "rows"), "utf8")).toBe("other\n");
		expect(lines.at(-1)).toMatch(/: 6 bytes fetched in /);
	});

	it("is deleted if the job does not use it, and leaves nothing when it cannot be fetched", async () => {
		const at = await storeWithSet();
		const { data, reports, preparing } = prepare({ data: [...dataOf(`${at}/set`), ...dataOf(`${at}/missing`)] });
		await preparing.done;
		expect(reports.at(-1)?.map(({ problem }) => problem === null)).toEqual([true, false]);
		expect(await readdir(path.join(folder, "prepared"))).toHaveLength(1);
		await data.keepOnly([`${at}/other`]);
		expect(await readdir(path.join(folder, "prepared"))).toEqual([]);
	});
});
