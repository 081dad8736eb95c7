import type { JobSpec } from "#server/domain/job.ts";
import { DriverError } from "../driver-errors.ts";
import type { ParsedSlurmSettings } from "./settings.ts";

export interface ContainerInput {
	spec: Pick<JobSpec, "command" | "image" | "nodes">;
	container: ParsedSlurmSettings["container"];
	/** The attempt's folder, seen under the same path inside. */
	folder: string;
	work: string;
}

/**
 * The command as an argv for the job's first node: in its container, and by `srun` where it runs on every node.
 * @throws DriverError invalid_request when the job has an image and the site runs none.
 */
export function containedCommand({ spec, container, folder, work }: ContainerInput): string[] {
	const { command, image, nodes } = spec;
	// One task a node, all ended when one fails, each seeing all GPUs of its node.
	const srun = ["srun", "--ntasks-per-node=1", `--nodes=${nodes}`, `--ntasks=${nodes}`, "--kill-on-bad-exit=1"];
	if (image === null) return nodes > 1 ? [...srun, ...command] : command;
	switch (container) {
		case "none":
			throw new DriverError(
				"invalid_request",
				`the job wants the image ${image}, and this site runs no containers; set "container" of the site to pyxis or apptainer, or leave the image out`,
			);
		case "pyxis":
			return [
				...srun,
				`--container-image=${enrootImage(image)}`,
				`--container-mounts=${folder}:${folder}`,
				`--container-workdir=${work}`,
				...command,
			];
		case "apptainer": {
			const inside = ["apptainer", "exec", "--nv", "--bind", folder, "--pwd", work, apptainerImage(image), ...command];
			return nodes > 1 ? [...srun, ...inside] : inside;
		}
	}
}

/** Enroot parts the registry from the image with "#"; a path is a squashfs file. */
function enrootImage(image: string): string {
	const [registry = "", ...rest] = image.split("/");
	const named = rest.length > 0 && registry !== "" && (/[.:]/.test(registry) || registry === "localhost");
	return named ? `${registry}#${rest.join("/")}` : image;
}

/** A path is a SIF file, and an address is taken as it is; what else is written like in a registry is in one. */
function apptainerImage(image: string): string {
	return image.startsWith("/") || /^[a-z-]+:\/\//.test(image) ? image : `docker://${image}`;
}
