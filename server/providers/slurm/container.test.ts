import { expect, it } from "vitest";
import { type ContainerInput, containedCommand } from "./container.ts";

const argv = (container: ContainerInput["container"], image: string | null, nodes = 1) =>
	containedCommand({ spec: { command: ["python", "train.py"], image, nodes }, container, folder: "/s/a", work: "/s/a/work" });

it("runs a command without an image as it is, on several nodes by srun", () => {
	expect(argv("none", null)).toEqual(["python", "train.py"]);
	expect(argv("pyxis", null)).toEqual(["python", "train.py"]);
	expect(argv("none", null, 2).join(" ")).toBe("srun --ntasks-per-node=1 --nodes=2 --ntasks=2 --kill-on-bad-exit=1 python train.py");
});

it.each([
	["ghcr.io/acme/train:1.2", "ghcr.io#acme/train:1.2"],
	["localhost:5000/train", "localhost:5000#train"],
	["pytorch/pytorch:2.7", "pytorch/pytorch:2.7"],
	["/images/train.sqsh", "/images/train.sqsh"],
])("hands %s to Pyxis as %s, with the attempt's folder", (image, written) => {
	expect(argv("pyxis", image).slice(5)).toEqual([
		...[`--container-image=${written}`, "--container-mounts=/s/a:/s/a", "--container-workdir=/s/a/work"],
		...["python", "train.py"],
	]);
});

it.each([
	["ghcr.io/acme/train:1.2", "docker://ghcr.io/acme/train:1.2"],
	["oras://ghcr.io/acme/train.sif", "oras://ghcr.io/acme/train.sif"],
	["/images/train.sif", "/images/train.sif"],
])("hands %s to Apptainer as %s, with the GPUs", (image, written) => {
	expect(argv("apptainer", image)).toEqual([
		"apptainer",
		"exec",
		"--nv",
		"--bind",
		"/s/a",
		"--pwd",
		"/s/a/work",
		written,
		"python",
		"train.py",
	]);
	expect(argv("apptainer", image, 3).slice(0, 6)).toEqual([
		"srun",
		"--ntasks-per-node=1",
		"--nodes=3",
		"--ntasks=3",
		"--kill-on-bad-exit=1",
		"apptainer",
	]);
});

it("refuses an image where no containers are run, and says what to do", () => {
	expect(() => argv("none", "ghcr.io/acme/train:1.2")).toThrow(/wants the image ghcr\.io\/acme\/train:1\.2.*set "container"/);
});
