import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { type ContainerInput, containedCommand } from "./container.ts";

const argv = (container: ContainerInput["container"], image: string | null, nodes = 1) =>
	containedCommand({ spec: specOf(image, nodes), container, folder: "/s/a", work: "/s/a/work" });
const specOf = (image: string | null, nodes: number): ContainerInput["spec"] => ({
	...{ command: ["python", "train.py"], image, nodes },
	resources: { gpus: 8, accelerators: [], cpus: null, memoryGiB: null },
});
/** Without the shell around srun, which only forwards SIGTERM. */
const stepOf = (...of: Parameters<typeof argv>) => {
	const [shell, option, text, name, ...step] = argv(...of);
	expect([shell, option, name]).toEqual(["/bin/sh", "-c", "sh"]);
	expect(text).toContain("scancel --signal=TERM");
	return step;
};
const SRUN = (nodes: number) => ["srun", "--ntasks-per-node=1", `--nodes=${nodes}`, `--ntasks=${nodes}`, "--kill-on-bad-exit=1"];

it("runs a command without an image as it is, on several nodes by srun", () => {
	expect(argv("none", null)).toEqual(["python", "train.py"]);
	expect(argv("pyxis", null)).toEqual(["python", "train.py"]);
	const onTwo = stepOf("none", null, 2);
	expect([...onTwo.slice(0, 7), ...onTwo.slice(8)]).toEqual([...SRUN(2), "/bin/sh", "-c", "sh", "python", "train.py"]);
});

it("gives the commands of several nodes their rendezvous variables, as an instance's agent does", () => {
	const [shell = "", ...rest] = stepOf("none", null, 2).slice(5, 9);
	const env = { PATH: "/usr/bin:/bin", SLURM_NODEID: "1", SLURM_JOB_ID: "70042", SLURM_LAUNCH_NODE_IPADDR: "10.0.0.7" };
	const seen = execFileSync(shell, [...rest, "env"], { env: env as unknown as NodeJS.ProcessEnv, encoding: "utf8" }).split("\n");
	expect(seen).toEqual(
		expect.arrayContaining([
			...["NNODES=2", "NODE_RANK=1", "NPROC_PER_NODE=8", "WORLD_SIZE=16", "MASTER_ADDR=10.0.0.7", "MASTER_PORT=20042"],
			...["PET_NNODES=2", "PET_NODE_RANK=1", "PET_MASTER_ADDR=10.0.0.7", "PET_MASTER_PORT=20042"],
		]),
	);
});

it.each([
	["ghcr.io/acme/train:1.2", "ghcr.io#acme/train:1.2"],
	["localhost:5000/train", "localhost:5000#train"],
	["pytorch/pytorch:2.7", "pytorch/pytorch:2.7"],
	["/images/train.sqsh", "/images/train.sqsh"],
])("passes %s to Pyxis as %s, with the attempt's folder", (image, written) => {
	expect(stepOf("pyxis", image).slice(5)).toEqual([
		...[`--container-image=${written}`, "--container-mounts=/s/a:/s/a", "--container-workdir=/s/a/work"],
		...["python", "train.py"],
	]);
});

it.each([
	["ghcr.io/acme/train:1.2", "docker://ghcr.io/acme/train:1.2"],
	["oras://ghcr.io/acme/train.sif", "oras://ghcr.io/acme/train.sif"],
	["/images/train.sif", "/images/train.sif"],
])("passes %s to Apptainer as %s, with the GPUs", (image, written) => {
	expect(argv("apptainer", image)).toEqual([
		"apptainer",
		"exec",
		"--nv",
		"--bind",
		"/s/a",
		"--home",
		"/s/a/work",
		"--pwd",
		"/s/a/work",
		written,
		"python",
		"train.py",
	]);
	expect(stepOf("apptainer", image, 3).slice(0, 6)).toEqual([...SRUN(3), "apptainer"]);
});

it("rejects an image if the site runs no containers, and says what to do", () => {
	expect(() => argv("none", "ghcr.io/acme/train:1.2")).toThrow(/has the image ghcr\.io\/acme\/train:1\.2.*set "container"/);
});

it("binds mounts to /mnt/<name> in containers, read-only unless the site allows writing", () => {
	const mounts = [
		{ name: "imagenet", type: "nfs" as const, source: "/data/imagenet", readOnly: true },
		{ name: "scratch", type: "lustre" as const, source: "/lustre/scratch", readOnly: false },
	];
	const input = { spec: specOf("/images/train.sif", 1), folder: "/s/a", work: "/s/a/work", mounts };
	const binds = "/data/imagenet:/mnt/imagenet:ro,/lustre/scratch:/mnt/scratch";
	expect(containedCommand({ ...input, container: "pyxis" })).toContain(`--container-mounts=/s/a:/s/a,${binds}`);
	expect(containedCommand({ ...input, container: "apptainer" })).toContain(`/s/a,${binds}`);
});
