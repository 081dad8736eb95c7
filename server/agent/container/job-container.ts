import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { PreparedJob } from "../prepare-job.ts";
import type { EnrollAnswer } from "../protocol.ts";
import { type ContainerEngine, ContainerError, callEngine } from "./call-engine.ts";
import { createArguments, environmentFile, passedOn } from "./create-arguments.ts";
import { deviceArguments, inspectMachine } from "./devices.ts";
import { findEngine } from "./find-engine.ts";
import type { PulledImage } from "./pull-image.ts";
import { type PullAccess, pullSignedIn } from "./pull-signed-in.ts";
import { RunningContainer } from "./running-container.ts";

/** Where podman looks for the init process that it puts into a container. */
const CATATONIT = ["/usr/libexec/podman/catatonit", "/usr/lib/podman/catatonit", "/usr/libexec/catatonit/catatonit", "/usr/bin/catatonit"];

export interface ContainerOptions extends PullAccess {
	terms: Pick<EnrollAnswer, "attemptId" | "spec">;
	searchPath: string;
}

/** The container of an attempt that has an image. */
export class JobContainer {
	readonly #options: ContainerOptions;
	readonly #engine: ContainerEngine;
	readonly #image: string;
	readonly #devices: string[];
	#pulled: PulledImage | null = null;

	private constructor(options: ContainerOptions, engine: ContainerEngine, image: string, devices: string[]) {
		this.#options = options;
		this.#engine = engine;
		this.#image = image;
		this.#devices = devices;
	}

	/**
	 * Checks whether the machine can run the container, before anything is downloaded.
	 * @throws ContainerError; the signal's reason
	 */
	static async open(image: string, options: ContainerOptions): Promise<JobContainer> {
		const engine = await findEngine(options);
		const machine = inspectMachine(options.searchPath);
		return new JobContainer(options, engine, image, await deviceArguments(engine, machine, options.terms.spec.resources.gpus > 0));
	}

	/** @throws ContainerError; the signal's reason */
	async pull(): Promise<void> {
		this.#pulled = await pullSignedIn(this.#engine, this.#image, this.#options);
	}

	/** @throws ContainerError when the engine does not make it; a command that cannot be started shows in its exit */
	async start(
		job: PreparedJob,
		gang: Readonly<Record<string, string>>,
		output: { onLine(stream: "stdout" | "stderr", text: string): void; isFull(): boolean },
	): Promise<RunningContainer> {
		const { terms, folder, log, signal } = this.#options;
		const name = `spillway-${terms.attemptId}`;
		const environment = { ...this.#initEnvironment(), ...job.environment, ...gang };
		const file = path.join(folder, "environment");
		await writeFile(file, environmentFile(environment), { mode: 0o600 });
		const args = createArguments({
			name,
			image: this.#pulled?.name ?? this.#image,
			command: terms.spec.command,
			folder: this.#pulled?.workingDir ?? job.workFolder,
			environment,
			environmentFile: file,
			mounts: job.mounts,
			devices: this.#devices,
			user: `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
			init: this.#hasInit(),
		});
		const made = await callEngine(this.#engine, args, { environment: passedOn(environment), signal });
		await writeFile(file, "");
		if (!made.ok) throw new ContainerError("start", `${this.#engine.kind} could not create the job's container: ${made.complaint}`);
		return new RunningContainer({ engine: this.#engine, name, folder, log, ...output });
	}

	#hasInit(): boolean {
		if (this.#engine.kind === "docker") return true;
		const { has } = inspectMachine(this.#options.searchPath);
		if (CATATONIT.some(has)) return true;
		this.#options.log(
			"catatonit for podman is not installed: a command that does not handle SIGTERM gets SIGKILL when its grace period ends",
		);
		return false;
	}

	/** As without a container, SIGTERM goes to all processes of the command's group. */
	#initEnvironment(): Record<string, string> {
		return this.#engine.kind === "docker" ? { TINI_KILL_PROCESS_GROUP: "1" } : {};
	}
}
