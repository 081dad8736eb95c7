import type { Exit } from "#server/domain/outcome.ts";
import { exitOfStatus } from "../exit-status.ts";
import { watchMemory } from "../out-of-memory.ts";
import { type Running, RunningCommand } from "../run-command.ts";
import { pause } from "../wait.ts";
import { type ContainerEngine, callEngine, engineEnvironment } from "./call-engine.ts";

const LOOK_EVERY_MS = 200;
/** Lines of engine output kept from before the command starts, in case it never does. */
const FIRST_LINES = 20;
/** The messages of tini and catatonit when they could not start the command. */
const INIT_FAILED = /^\[FATAL tini .*\] exec|^(?:ERROR|FATAL).*catatonit.*exec|^catatonit.*failed to exec/;

interface ContainerState {
	Running?: boolean;
	/** Process id on the machine; 0 if it is not running. */
	Pid?: number;
	OOMKilled?: boolean;
	ExitCode?: number;
	Error?: string;
	StartedAt?: string;
}

/** A container from its start to its removal, once created. */
export class RunningContainer implements Running {
	readonly #engine: ContainerEngine;
	readonly #name: string;
	readonly #client: RunningCommand;
	readonly #firstErrors: string[] = [];
	readonly #log: (text: string) => void;
	readonly #memory = watchMemory();
	#killed = false;
	readonly started: Promise<boolean>;
	readonly ended: Promise<Exit>;

	constructor(options: {
		engine: ContainerEngine;
		name: string;
		/** Folder of the machine for the engine's client. */
		folder: string;
		onLine(stream: "stdout" | "stderr", text: string): void;
		isFull(): boolean;
		log(text: string): void;
	}) {
		const { engine, name, onLine } = options;
		this.#engine = engine;
		this.#name = name;
		this.#log = options.log;
		this.#client = new RunningCommand({
			command: [engine.program, "start", "--attach", name],
			folder: options.folder,
			environment: engineEnvironment(),
			isFull: options.isFull,
			onLine: (stream, text) => {
				if (stream === "stderr" && this.#firstErrors.length < FIRST_LINES) this.#firstErrors.push(text);
				onLine(stream, text);
			},
		});
		this.started = this.#untilStarted();
		this.ended = this.#untilEnded();
	}

	async rootPid(): Promise<number | null> {
		return (await this.#look())?.Pid || null;
	}

	terminate(): void {
		this.#client.resume({ permanent: true });
		this.#signal("TERM");
	}

	kill(): void {
		this.#killed = true;
		this.#client.resume({ permanent: true });
		this.#signal("KILL");
	}

	resume(): void {
		this.#client.resume();
	}

	#signal(name: "TERM" | "KILL"): void {
		void this.#untilTold(name);
	}

	/**
	 * Repeats until the signal is delivered: an engine that is busy or has not started the container delivers none. A container that
	 * has ended is not a failure.
	 */
	async #untilTold(name: "TERM" | "KILL"): Promise<void> {
		const over = this.#untilOver();
		while (!over.aborted) {
			if ((await callEngine(this.#engine, ["kill", "--signal", name, this.#name])).ok) return;
			await pause(LOOK_EVERY_MS, over);
		}
	}

	#untilOver(): AbortSignal {
		const over = new AbortController();
		void this.#client.ended.then(() => over.abort());
		return over.signal;
	}

	async #untilStarted(): Promise<boolean> {
		const over = this.#untilOver();
		while (!over.aborted) {
			if (hasStarted(await this.#look())) return true;
			await pause(LOOK_EVERY_MS, over);
		}
		return (await this.ended).error === null;
	}

	async #untilEnded(): Promise<Exit> {
		const client = await this.#client.ended;
		let state = await this.#look();
		if (state?.Running) {
			// The container's output has no reader any more, so its end would go unnoticed and it would cost money forever.
			this.#log(
				`${this.#engine.kind} exited before its container (${client.error ?? client.signal ?? `exit code ${client.code}`}); stopping the container`,
			);
			await callEngine(this.#engine, ["kill", "--signal", "KILL", this.#name]);
			state = (await this.#look()) ?? state;
		}
		await callEngine(this.#engine, ["rm", "--force", "--volumes", this.#name]);
		const exit = exitOfContainer(state, this.#firstErrors);
		// The engine reports kills by its own limits; the machine's kernel reports the others.
		return this.#killed ? exit : this.#memory.explain(exit);
	}

	async #look(): Promise<ContainerState | null> {
		const answer = await callEngine(this.#engine, ["container", "inspect", "--format", "{{json .State}}", this.#name]);
		return answer.ok ? (JSON.parse(answer.stdout) as ContainerState) : null;
	}
}

/** Both engines use the year 1 for times that were never set. */
function hasStarted(state: ContainerState | null): state is ContainerState {
	return state?.StartedAt !== undefined && state.StartedAt !== "" && !state.StartedAt.startsWith("0001-");
}

/** How the command ended. `errors`: the first part of its standard error and of messages about it. */
export function exitOfContainer(state: ContainerState | null, errors: readonly string[]): Exit {
	const initFailed = errors.find((line) => INIT_FAILED.test(line));
	if (!hasStarted(state) || initFailed !== undefined) {
		const said = state?.Error || initFailed || errors.findLast((line) => line.trim() !== "") || "no reason reported";
		const error = `could not start the command in the container: ${said.replace(/^Error(?: response from daemon)?: /, "")}`;
		return { code: null, signal: null, error, failedAt: "start" };
	}
	const exit = exitOfStatus(state.ExitCode ?? 0);
	return state.OOMKilled && exit.signal === "SIGKILL" ? { ...exit, outOfMemory: true } : exit;
}
