import { ContainerError } from "./call-engine.ts";

export interface ContainerPlan {
	name: string;
	image: string;
	/** Program and arguments. They replace the image's entrypoint, as on Kubernetes. */
	command: readonly string[];
	/** Working folder of the command. */
	folder: string;
	environment: Readonly<Record<string, string>>;
	/** Folders and files of the machine, and their paths in the container. */
	mounts: readonly { source: string; target: string; readOnly?: boolean }[];
	/** See `deviceArguments`. */
	devices: readonly string[];
	/** User of the container's processes. The agent runs as the same user, so both can write the same files. */
	user: string;
	/** File with `environment`, written by `environmentFile`. */
	environmentFile: string;
	/** Whether to use the engine's init process, which forwards signals and reaps zombies. */
	init: boolean;
}

/** The machine runs only this job, so the container is isolated only from the agent. */
export function createArguments(plan: ContainerPlan): string[] {
	const [program = "", ...args] = plan.command;
	return [
		"create",
		...["--name", plan.name, "--network", "host", "--ipc", "host", "--user", plan.user, "--workdir", plan.folder],
		// The agent reads the output as it is written, and the control plane stores it.
		...["--log-driver", "none"],
		// The files belong to the agent, and SELinux labels would block the container from them.
		...["--security-opt", "label=disable"],
		// If memory runs out, the kernel kills the job first, so the agent survives to report it.
		...["--oom-score-adj", "500"],
		...(plan.init ? ["--init"] : []),
		...plan.devices,
		...plan.mounts.flatMap(({ source, target, readOnly }) => ["--volume", `${source}:${target}${readOnly ? ":ro" : ""}`]),
		...["--env-file", plan.environmentFile],
		// An environment file cannot hold multi-line values; the engine takes them from its own environment.
		...Object.keys(passedOn(plan.environment)).flatMap((name) => ["--env", name]),
		...["--entrypoint", program],
		plan.image,
		...args,
	];
}

/** A file of NAME=value lines, used literally. It keeps a job's secrets out of arguments and of the engine's messages. */
export function environmentFile(environment: Readonly<Record<string, string>>): string {
	return Object.entries(environment)
		.filter(([, value]) => !hasLines(value))
		.map(([name, value]) => `${name}=${value}\n`)
		.join("");
}

/** Variables that would change the engine or the loader of its program. */
const STEERS = /^(PATH|HOME|TMPDIR|LD_.*|DOCKER_.*|CONTAINER.*|PODMAN_.*|REGISTRY_.*|XDG_.*|GO[A-Z]*|SSL_.*|(https?|no|all)_proxy)$/i;

/**
 * Multi-line variables, for the engine's environment.
 * @throws ContainerError for one that would change the engine
 */
export function passedOn(environment: Readonly<Record<string, string>>): Record<string, string> {
	const found = Object.entries(environment).filter(([, value]) => hasLines(value));
	const steering = found.find(([name]) => STEERS.test(name));
	if (steering) {
		const todo = "use a one-line value, or run the job without an image";
		throw new ContainerError("start", `the variable ${steering[0]} has several lines and cannot be passed to a container; ${todo}`);
	}
	return Object.fromEntries(found);
}

function hasLines(value: string): boolean {
	return /[\r\n]/.test(value);
}
