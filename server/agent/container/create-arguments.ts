import { ContainerError } from "./call-engine.ts";

export interface ContainerPlan {
	name: string;
	image: string;
	/** Program and arguments; the image's own entrypoint is left out, as on Kubernetes. */
	command: readonly string[];
	/** Where the command begins. */
	folder: string;
	environment: Readonly<Record<string, string>>;
	/** Folders and files of the machine, and where the container sees them. */
	mounts: readonly { source: string; target: string; readOnly?: boolean }[];
	/** See `deviceArguments`. */
	devices: readonly string[];
	/** The user of the container's processes: the agent's, so that both may write the same files. */
	user: string;
	/** File with `environment` as `environmentFile` writes it. */
	environmentFile: string;
	/** The engine brings a first process that hands signals on and buries what others leave. */
	init: boolean;
}

/** The machine is the job's alone, so that nothing of it is kept from the container but the agent. */
export function createArguments(plan: ContainerPlan): string[] {
	const [program = "", ...args] = plan.command;
	return [
		"create",
		...["--name", plan.name, "--network", "host", "--ipc", "host", "--user", plan.user, "--workdir", plan.folder],
		// Lines are read as they come, and are kept by the control plane.
		...["--log-driver", "none"],
		// The files are the agent's; a policy on labels would keep the container from them.
		...["--security-opt", "label=disable"],
		// When memory runs out the job dies, and the agent survives to report it.
		...["--oom-score-adj", "500"],
		...(plan.init ? ["--init"] : []),
		...plan.devices,
		...plan.mounts.flatMap(({ source, target, readOnly }) => ["--volume", `${source}:${target}${readOnly ? ":ro" : ""}`]),
		...["--env-file", plan.environmentFile],
		// Values of several lines have no form in such a file: the engine takes them from its own environment.
		...Object.keys(passedOn(plan.environment)).flatMap((name) => ["--env", name]),
		...["--entrypoint", program],
		plan.image,
		...args,
	];
}

/** A file of lines NAME=value, taken as they are. Secrets of a job stand neither in an argument nor in the engine's words. */
export function environmentFile(environment: Readonly<Record<string, string>>): string {
	return Object.entries(environment)
		.filter(([, value]) => !hasLines(value))
		.map(([name, value]) => `${name}=${value}\n`)
		.join("");
}

/** Names that would steer the engine itself, or the loader of its program. */
const STEERS = /^(PATH|HOME|TMPDIR|LD_.*|DOCKER_.*|CONTAINER.*|PODMAN_.*|REGISTRY_.*|XDG_.*|GO[A-Z]*|SSL_.*|(https?|no|all)_proxy)$/i;

/** Variables of several lines, for the engine's environment. @throws ContainerError for one that would change the engine */
export function passedOn(environment: Readonly<Record<string, string>>): Record<string, string> {
	const found = Object.entries(environment).filter(([, value]) => hasLines(value));
	const steering = found.find(([name]) => STEERS.test(name));
	if (steering) {
		const todo = "give it a value of one line, or run the job without an image";
		throw new ContainerError("start", `the variable ${steering[0]} has several lines, which cannot be handed to a container; ${todo}`);
	}
	return Object.fromEntries(found);
}

function hasLines(value: string): boolean {
	return /[\r\n]/.test(value);
}
