import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SiteMount } from "#server/domain/site-mount.ts";
import { createArguments } from "./container/create-arguments.ts";
import { mountArguments, mountFileSystems } from "./mount-file-systems.ts";

/** An empty machine. Its programs are recorded instead of run, so the kernel needs no NFS client. */
let root: string;
let ran: string[];
const log: string[] = [];

beforeEach(async () => {
	root = await mkdtemp(path.join(os.tmpdir(), "spillway-mounts-"));
	ran = [];
	log.length = 0;
});
afterEach(() => rm(root, { recursive: true, force: true }));

const mount = (name: string, type: SiteMount["type"], source: string, readOnly = true): SiteMount => ({ name, type, source, readOnly });
const NFS = mount("imagenet", "nfs", "nfs.example.com:/imagenet");

async function addClient(): Promise<void> {
	await mkdir(path.join(root, "sbin"), { recursive: true });
	await writeFile(path.join(root, "sbin", "mount.nfs"), "");
}

function mounted(names: string[], mounts: SiteMount[], changes: Partial<Parameters<typeof mountFileSystems>[2]> = {}) {
	return mountFileSystems(names, mounts, {
		...{ root, signal: new AbortController().signal, log: (text: string) => void log.push(text) },
		run: async (program, args) => void ran.push([program, ...args].join(" ")),
		install: async (packages) => {
			ran.push(`install ${packages.join(" ")}`);
			await addClient();
		},
		...changes,
	});
}

describe("file systems of a cloud instance", () => {
	it("are mounted in the order of the job, with the NFS client installed once", async () => {
		const scratch = mount("scratch", "efs", "fs-0123.efs.us-east-1.amazonaws.com:/", false);
		expect(await mounted(["scratch", "imagenet"], [NFS, scratch])).toEqual([
			{ name: "scratch", folder: path.join(root, "mnt/scratch"), readOnly: false },
			{ name: "imagenet", folder: path.join(root, "mnt/imagenet"), readOnly: true },
		]);
		expect(ran.map((line) => line.replaceAll(root, ""))).toEqual([
			"install nfs-common",
			expect.stringMatching(/^mount -t nfs4 -o nosuid,nodev,rw,nfsvers=4\.1,.* fs-0123\.efs\.us-east-1\.amazonaws\.com:\/ \/mnt\/scratch$/),
			expect.stringMatching(/^mount -t nfs -o nosuid,nodev,ro,hard,.* nfs\.example\.com:\/imagenet \/mnt\/imagenet$/),
		]);
		await access(path.join(root, "mnt/imagenet"));
		expect(log.at(-1)).toBe("mounted nfs.example.com:/imagenet at /mnt/imagenet, read-only");
	});

	it("use the options that each type needs", () => {
		expect(mountArguments(mount("a", "lustre", "10.0.0.5@tcp:/fs"), "/mnt/a")).toEqual([
			...["-t", "lustre", "-o", "nosuid,nodev,ro,flock", "10.0.0.5@tcp:/fs", "/mnt/a"],
		]);
		expect(mountArguments(mount("a", "azurefiles", "acme.file.core.windows.net:/acme/x"), "/mnt/a").join(" ")).toContain(
			"vers=4,minorversion=1",
		);
		expect(mountArguments(mount("a", "filestore", "10.0.0.2:/vol1"), "/mnt/a").slice(0, 2)).toEqual(["-t", "nfs"]);
	});

	it("are folders of the image if the source is one", async () => {
		expect(await mounted(["models"], [mount("models", "local", root)])).toEqual([{ name: "models", folder: root, readOnly: true }]);
		expect(ran).toEqual([]);
		await expect(mounted(["models"], [mount("models", "local", `${root}/none`)])).rejects.toThrow(
			/none does not exist\. Use a machine image/,
		);
	});

	it.each([
		[
			"a server that refuses the connection",
			async () => Promise.reject(Object.assign(new Error("Command failed"), { stderr: "mount.nfs: access denied by server\n" })),
			/^mount imagenet failed: could not mount nfs\.example\.com:\/imagenet: mount\.nfs: access denied by server\. Check the export/,
		],
		["one that does not respond", async () => Promise.reject(Object.assign(new Error("x"), { killed: true })), /no response in 180 s/],
	])("report %s", async (_what, run, message) => {
		await addClient();
		await expect(mounted(["imagenet"], [NFS], { run })).rejects.toThrow(message);
	});

	it("report a missing client, a mount that the site no longer has, and a stop", async () => {
		await expect(mounted(["imagenet"], [NFS], { install: () => Promise.reject(new Error("no network")) })).rejects.toThrow(
			/no NFS client, and nfs-common could not be installed \(no network\)/,
		);
		await expect(mounted(["other"], [NFS])).rejects.toThrow("this site has no mount other");
		await addClient();
		const stopped = new AbortController();
		const run = () => {
			stopped.abort(new Error("stopped"));
			return Promise.reject(new Error("killed"));
		};
		await expect(mounted(["imagenet"], [NFS], { run, signal: stopped.signal })).rejects.toThrow(/^stopped$/);
	});

	it("are bound read-only into containers", () => {
		const mounts = [
			{ source: "/mnt/imagenet", target: "/mnt/imagenet", readOnly: true },
			{ source: "/w/data", target: "/data" },
		];
		const args = createArguments({
			...{ name: "n", image: "i", command: ["c"], folder: "/w", environment: {}, mounts, devices: [] },
			...{ user: "0:0", environmentFile: "/e", init: false },
		});
		expect(args).toEqual(expect.arrayContaining(["/mnt/imagenet:/mnt/imagenet:ro", "/w/data:/data"]));
	});
});
