import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Exit } from "#server/domain/outcome.ts";
import { dueOutputs } from "#server/domain/output.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { maskerOf } from "#server/kernel/mask.ts";
import { CheckpointSync } from "./checkpoint-sync.ts";
import { ControlClient, messageOf } from "./client.ts";
import { AgentClock } from "./clock.ts";
import { ContainerError } from "./container/call-engine.ts";
import { JobContainer } from "./container/job-container.ts";
import { findIdentity } from "./find-identity.ts";
import { findMetadata } from "./find-metadata.ts";
import { listFolder, signatureOf } from "./folder-files.ts";
import { GpuMinutes } from "./gpu-minutes.ts";
import { Guard } from "./guard/guard.ts";
import { identityChallenge } from "./identity-document.ts";
import { gangEnvironment } from "./job-environment.ts";
import { bootTimeMs, Lease } from "./lease.ts";
import { Lifecycle } from "./lifecycle.ts";
import { LogShipper } from "./log-shipper.ts";
import { findPrivateAddress, type MachineMetadata, untilInstanceId } from "./metadata.ts";
import { mountFileSystems } from "./mount-file-systems.ts";
import { awaitJob, preparedDataOf } from "./prepare/await-job.ts";
import { type PreparedJob, prepareJob, workFolderIn } from "./prepare-job.ts";
import {
	type AgentPhase,
	type EnrollAnswer,
	type ExitedRequest,
	enrollAnswer,
	GPU_MINUTES_KEPT,
	logsAnswer,
	OWN_STOP_CAUSES,
	type Restorable,
	stagedAnswer,
} from "./protocol.ts";
import { rcloneOfInstance } from "./rclone/find.ts";
import { fetchArtifact, restoreCheckpoint } from "./restore-checkpoint.ts";
import { type Running, RunningCommand } from "./run-command.ts";
import type { AgentSettings } from "./settings.ts";
import { uploadOutputs } from "./upload-outputs.ts";
import { ENROLLED_FILE } from "./user-data.ts";
import { pause, pauseUntil } from "./wait.ts";
import { startWatchers } from "./watchers.ts";

/** How long to wait after SIGKILL. A process that survives it hangs in the kernel and ends with the machine. */
const KILL_WAIT_MS = 5_000;
/**
 * A machine that shuts down signals its processes in any order: the agent may get its signal a moment after the command does. The
 * command was then interrupted, whatever its exit code says.
 */
const OWN_SIGNAL_WAIT_MS = 250;

interface Session {
	settings: AgentSettings;
	clock: AgentClock;
	lifecycle: Lifecycle;
	client: ControlClient;
	terms: EnrollAnswer;
	shipper: LogShipper;
	/** Writes one line to the machine's console and one to the job's log. */
	announce(text: string): void;
	/** null unless the job is critical. */
	guard: Guard | null;
	notice(): { atMs: number } | null;
	/** Bytes fetched of each data set, in the job's order. */
	readBytes: number[];
}

/** Runs the agent once: enrol, run the attempt, report. Returns when the machine may be powered off, whatever happened. */
export async function runAgent(settings: AgentSettings, log: (text: string) => void): Promise<void> {
	const clock = new AgentClock();
	const lifecycle = new Lifecycle({ nowMs: () => clock.nowMs(), log });
	const life = { expiresAtMs: settings.expiresAtMs };
	const over = new AbortController();
	// Dead man's switch: ends the agent even if everything else hangs.
	void pauseUntil(
		() => life.expiresAtMs,
		() => clock.nowMs(),
		over.signal,
	).then((expired) => expired && lifecycle.giveUp());
	const client = new ControlClient({ baseUrl: settings.controlUrl, log });
	const metadata = findMetadata(settings);
	let guard: Guard | null = null;
	try {
		const { terms, withoutIdentity } = await enroll(settings, { client, metadata, signal: lifecycle.giveUpSignal, log });
		clock.syncTo(terms.nowMs);
		life.expiresAtMs = terms.expiresAtMs;
		log(`enrolled for attempt ${terms.attemptId}`);
		const mask = maskerOf([...Object.values(terms.secrets.env), ...Object.values(terms.secrets.files)]);
		const shipper = newShipper(settings, { client, clock, lifecycle, mask });
		const announce = (text: string): void => {
			log(text);
			shipper.add("spillway", text);
		};
		guard = await startGuard({ settings, terms, lifecycle, announce });
		const watchers = startWatchers(
			{
				client,
				clock,
				lifecycle,
				metadata,
				metadataPollMs: settings.metadataPollMs,
				terms,
				life,
				gpus: new GpuMinutes(GPU_MINUTES_KEPT),
				guard,
				log,
			},
			over.signal,
		);
		for (const signal of ["SIGTERM", "SIGINT"] as const) {
			process.on(signal, () => lifecycle.requestStop({ cause: "signalled", graceMs: terms.stopGraceMs, machineEndsAtMs: null }));
		}
		if (withoutIdentity !== null) announce(`enrolled with its secret only: ${withoutIdentity}`);
		if (terms.over) lifecycle.requestStop({ cause: "over", graceMs: 0, machineEndsAtMs: null });
		else if (terms.stop) lifecycle.requestStop({ cause: "ordered", graceMs: terms.stop.graceMs, machineEndsAtMs: null });
		watchers.done.catch((error: unknown) => {
			log(`a watcher failed: ${messageOf(error)}`);
			lifecycle.requestStop({ cause: "signalled", graceMs: terms.stopGraceMs, machineEndsAtMs: null });
		});
		const work = runAttempt({
			...{ settings, clock, lifecycle, client, terms, shipper, announce, guard, notice: watchers.notice, readBytes: [] },
		});
		work.catch(() => {});
		await Promise.race([work, whenAborted(lifecycle.giveUpSignal).then(() => pause(KILL_WAIT_MS))]);
	} finally {
		over.abort();
		guard?.end();
		if (lifecycle.phase !== "off") lifecycle.move("off");
	}
}

async function enroll(
	settings: AgentSettings,
	{ client, metadata, signal, log }: { client: ControlClient; metadata: MachineMetadata; signal: AbortSignal; log(text: string): void },
): Promise<{ terms: EnrollAnswer; withoutIdentity: string | null }> {
	const providerInstanceId = await untilInstanceId(metadata, signal, log);
	const privateAddress = await findPrivateAddress(metadata, log);
	const nonce = randomBytes(24).toString("base64url");
	const challenge = identityChallenge(settings.controlUrl, settings.instanceId, nonce);
	let withoutIdentity: string | null = null;
	const whoWeAre = {
		instanceId: settings.instanceId,
		bootstrapSecret: settings.bootstrapSecret,
		providerInstanceId,
		...(privateAddress === null ? {} : { privateAddress }),
		nonce,
	};
	// Identity documents expire within the hour, and the control plane may be unavailable for longer.
	const freshJson = async () => {
		const found = await findIdentity(metadata, challenge);
		if (found.missing !== null && withoutIdentity === null) log(`enrolling without an identity document: ${found.missing}`);
		withoutIdentity = found.missing;
		return { ...whoWeAre, ...(found.document === null ? {} : { identity: found.document }) };
	};
	if (settings.warm) await awaitJob(settings, { client, metadata, freshJson, signal, log });
	const terms = await client.call({ method: "POST", path: "/enroll", freshJson, answer: enrollAnswer, signal });
	client.token = terms.token;
	if (settings.warm) await writeFile(path.join(settings.folder, ENROLLED_FILE), "");
	return { terms, withoutIdentity };
}

function newShipper(
	settings: AgentSettings,
	{ client, clock, lifecycle, mask }: Pick<Session, "client" | "clock" | "lifecycle"> & { mask(line: string): string },
): LogShipper {
	return new LogShipper({
		send: (json) => client.call({ method: "POST", path: "/logs", json, answer: logsAnswer, signal: lifecycle.giveUpSignal }),
		nowMs: () => clock.nowMs(),
		mask,
		spillFile: path.join(settings.folder, "log-spill.jsonl"),
		memoryBytesMax: settings.logMemoryBytes,
		spillBytesMax: settings.logSpillBytes,
	});
}

/**
 * Applies the lease that the control plane grants for a critical job. Returns null if it grants none or if the machine cannot
 * enforce one; heartbeats then report no lease.
 */
async function startGuard(s: Pick<Session, "settings" | "terms" | "lifecycle" | "announce">): Promise<Guard | null> {
	const { settings, terms, lifecycle, announce } = s;
	if (terms.leaseMs == null) return null;
	const lease = new Lease(terms.leaseMs);
	try {
		return await Guard.start({
			lease,
			variable: `SPILLWAY_WORK_DIR=${workFolderIn(jobFolderOf(settings))}`,
			file: process.argv[1] ?? "",
			onWord: (word) => {
				if (lifecycle.phase !== "running" && lifecycle.phase !== "stopping") return;
				if (word === "thawed") announce("the control plane responded: the command resumes");
				else
					announce(`no response from the control plane to heartbeats for ${lease.ms / 1_000} s: the command is paused until it responds`);
			},
			onLoss: () => {
				if (!BEFORE_ITS_END.has(lifecycle.phase)) return;
				announce("the lease guard of the job has exited: stopping the command so that it can continue elsewhere");
				const graceMs = Math.min(terms.stopGraceMs, Math.max(0, lease.untilMs - bootTimeMs()));
				lifecycle.requestStop({ cause: "signalled", graceMs, machineEndsAtMs: null });
			},
		});
	} catch (error) {
		announce(`the job has no lease: the lease guard could not be started (${messageOf(error)})`);
		return null;
	}
}

const BEFORE_ITS_END: ReadonlySet<AgentPhase> = new Set(["enrolling", "staging", "running"]);

function jobFolderOf({ folder }: AgentSettings): string {
	return path.join(folder, "job");
}

async function runAttempt(s: Session): Promise<void> {
	let ended = false;
	const shipping = s.shipper.run(s.lifecycle.giveUpSignal, { untilIdle: () => ended });
	// Awaited below. Until then a rejection must not count as unhandled.
	shipping.catch(() => {});
	s.lifecycle.move("staging");
	const exit = await stageAndRun(s);
	if (s.lifecycle.plan?.cause === "over") return;
	s.lifecycle.move("reporting");
	ended = true;
	s.shipper.nudge();
	await shipping;
	await s.client.report("/exited", reportOf(s, exit), s.lifecycle.giveUpSignal);
	s.lifecycle.move("off");
}

function reportOf(s: Session, exit: Exit): ExitedRequest {
	const notice = s.notice();
	const own = OWN_STOP_CAUSES.find((c) => c === s.lifecycle.plan?.cause);
	return {
		exit: { ...exit, error: exit.error?.slice(0, 2_000) ?? null },
		atMs: Math.round(s.clock.nowMs()),
		...(own ? { stoppedBy: own } : {}),
		...(notice ? { notice } : {}),
		...readBytesOf(s),
	};
}

/** Only if something was fetched: earlier control planes reject the field. */
function readBytesOf({ terms, readBytes }: Session): { readBytes?: number[] } {
	return readBytes.length === 0 ? {} : { readBytes: terms.spec.data.map((_, index) => readBytes[index] ?? 0) };
}

const NEVER_RAN: Exit = { code: null, signal: null, error: null };

async function stageAndRun(s: Session): Promise<Exit> {
	let begun: Begun;
	try {
		s.lifecycle.stopSignal.throwIfAborted();
		begun = await begin(s);
	} catch (error) {
		if (s.lifecycle.plan !== null) return NEVER_RAN;
		s.announce(messageOf(error));
		return { ...NEVER_RAN, error: messageOf(error), failedAt: error instanceof ContainerError ? error.failedAt : "staging" };
	}
	const { command } = begun;
	s.shipper.onRoom(() => command.resume());
	if (!(await command.started)) return command.ended;
	const rootPid = s.guard === null ? null : await command.rootPid();
	if (rootPid !== null) s.guard?.watch(rootPid);
	s.lifecycle.move("running");
	return superviseRun(s, begun);
}

interface Begun {
	job: PreparedJob;
	/** Signature of the checkpoint folder before the command ran. */
	restored: string;
	command: Running;
}

/**
 * Does everything up to the command's start.
 * @throws ContainerError; any other Error if staging fails
 */
async function begin(s: Session): Promise<Begun> {
	if (s.terms.secretProblem) throw new Error(s.terms.secretProblem);
	const container = await openContainer(s);
	const { stopSignal } = s.lifecycle;
	const folder = jobFolderOf(s.settings);
	const fileSystems = await mountFileSystems(s.terms.spec.mounts, s.terms.mounts, { signal: stopSignal, log: s.announce });
	const [job] = await Promise.all([
		prepareJob({
			...{ folder, terms: s.terms, inContainer: container !== null, fileSystems, signal: stopSignal, log: s.announce },
			prepared: s.settings.warm ? preparedDataOf(s.settings) : null,
			onRead: (index, bytes) => {
				s.readBytes[index] = bytes;
			},
			fetchArtifact: (id, target) =>
				fetchArtifact(s.client, { id, folder: target, rclone: rcloneFor(s), signal: stopSignal, log: s.announce }),
		}),
		container?.pull(),
	]);
	const begunFrom = await restore(s, job, s.terms.checkpoint);
	const gang = await meetGang(s, job, begunFrom);
	const restored = job.checkpointFolder === null ? signatureOf([]) : signatureOf(await listFolder(job.checkpointFolder));
	await s.guard?.lease.untilValid(stopSignal);
	const output = {
		onLine: (stream: "stdout" | "stderr", text: string) => s.shipper.add(stream, text),
		isFull: () => s.shipper.full,
	};
	if (container !== null) return { job, restored, command: await container.start(job, gang, output) };
	const environment = { ...job.environment, ...gang };
	return { job, restored, command: new RunningCommand({ command: s.terms.spec.command, folder: job.workFolder, environment, ...output }) };
}

/** null if the command runs as a process of the machine. */
async function openContainer({ settings, terms, lifecycle, announce }: Session): Promise<JobContainer | null> {
	const { image } = terms.spec;
	if (image === null) return null;
	if (!settings.containers) {
		announce(`the image ${image} is not used: this instance is configured to run commands without containers`);
		return null;
	}
	const { folder, searchPath } = settings;
	const registryLogin = (host: string) => findMetadata(settings).registryLogin(host);
	return JobContainer.open(image, { terms, folder, searchPath, registryLogin, signal: lifecycle.stopSignal, log: announce });
}

/** Waits until all machines of the gang are ready. Returns the variables that let their commands find each other. */
async function meetGang(s: Session, job: PreparedJob, begunFrom: string | null): Promise<Record<string, string>> {
	const { terms, client, lifecycle, announce } = s;
	if (!terms.gang) return {};
	let restored = begunFrom;
	const { rank, nodes } = terms.gang;
	announce(`ready as rank ${rank} of ${nodes}`);
	for (;;) {
		const json = restored === null ? {} : { restored };
		const {
			master,
			environment,
			restore: other,
		} = await client.call({
			...{ method: "POST" as const, path: "/staged", json, answer: stagedAnswer, signal: lifecycle.stopSignal },
		});
		if (other !== undefined) {
			announce("another instance found the checkpoint corrupt: restoring the previous one");
			restored = await restore(s, job, other);
			continue;
		}
		if (master) return { ...gangEnvironment({ rank, nodes, master, gpusPerNode: terms.spec.resources.gpus }), ...environment };
		await pause(terms.heartbeatMs, lifecycle.stopSignal);
		lifecycle.stopSignal.throwIfAborted();
	}
}

/** Returns the id of the checkpoint that is now in the folder, or null if the job starts from scratch. */
async function restore(s: Session, job: PreparedJob, checkpoint: Restorable | null): Promise<string | null> {
	if (job.checkpointFolder === null || checkpoint === null) return null;
	const done = await restoreCheckpoint(s.client, {
		...{ checkpoint, folder: job.checkpointFolder, rclone: rcloneFor(s), signal: s.lifecycle.stopSignal, log: s.announce },
		...{ own: s.terms.spec.checkpoint?.restore === "own", rank: s.terms.gang?.rank ?? 0 },
	});
	if (done === null) return null;
	const files = done.store ? done.store.parts.flatMap((part) => part.files) : done.files;
	s.announce(`starting from checkpoint ${done.id} (${plural(files.length, "file")}${done.step == null ? "" : `, step ${done.step}`})`);
	return done.id;
}

function rcloneFor(s: Pick<Session, "announce" | "lifecycle">): () => Promise<string> {
	return () => rcloneOfInstance(s.announce, s.lifecycle.giveUpSignal);
}

async function superviseRun(s: Session, { job, restored, command }: Begun): Promise<Exit> {
	const ended = new AbortController();
	const sent = s.client.report("/running", { atMs: Math.round(s.clock.nowMs()), ...readBytesOf(s) }, s.lifecycle.giveUpSignal);
	sent.catch(() => {});
	const sync = newCheckpointSync(s, job, restored);
	const syncing = sync?.runOnInterval(s.terms.spec.checkpoint?.intervalMs ?? Number.POSITIVE_INFINITY, ended.signal);
	const stopping = stopWhenAsked(s, command, ended.signal);
	const exit = await Promise.race([command.ended, stopping]);
	if (s.lifecycle.plan === null) await pause(OWN_SIGNAL_WAIT_MS, s.lifecycle.stopSignal);
	ended.abort();
	// Ends any processes that the job left behind.
	s.guard?.end();
	await syncing;
	if (s.lifecycle.plan?.cause === "over") return exit;
	s.lifecycle.move("saving");
	let unkept: string | null = null;
	if (sync && (s.lifecycle.plan !== null || exit.code !== 0 || s.terms.keepsEnd)) {
		const endsAtMs = s.notice()?.atMs ?? null;
		const leftMs = endsAtMs === null ? null : endsAtMs - s.clock.nowMs();
		unkept = await sync.upload(s.lifecycle.giveUpSignal, { leftMs }).then(() => null, messageOf);
		if (unkept !== null) s.announce(`the last checkpoint could not be saved: ${unkept}`);
	}
	const outputProblem = await keepOutputs(s, job, exit);
	await sent;
	return {
		...exit,
		...(unkept !== null && { unkept: unkept.slice(0, 500) }),
		...(outputProblem !== null && { outputProblem: outputProblem.slice(0, 500) }),
	};
}

/** In a gang, rank 0 uploads the outputs, as it does checkpoints. A missing output is a problem only if the command succeeded. */
async function keepOutputs(s: Session, job: PreparedJob, exit: Exit): Promise<string | null> {
	if ((s.terms.gang?.rank ?? 0) > 0) return null;
	const succeeded = exit.code === 0 && s.lifecycle.plan === null;
	const due = dueOutputs(s.terms.spec.outputs, succeeded);
	if (due.length === 0) return null;
	const problem = await uploadOutputs(
		{ client: s.client, workFolder: job.workFolder, rclone: rcloneFor(s), signal: s.lifecycle.giveUpSignal, log: s.announce },
		due,
	);
	return succeeded ? problem : null;
}

/**
 * Sends SIGTERM when a stop is requested and SIGKILL when the grace period ends. Settles only if SIGKILL has no effect either.
 */
async function stopWhenAsked(s: Session, command: Running, ended: AbortSignal): Promise<Exit> {
	const never = new Promise<never>(() => {});
	await whenAborted(AbortSignal.any([s.lifecycle.stopSignal, ended]));
	if (ended.aborted) return never;
	s.announce(
		`stopping the command (${s.lifecycle.plan?.cause}): ${Math.max(0, Math.round((s.lifecycle.plan?.killAtMs ?? 0) - s.clock.nowMs()))} ms to save its work`,
	);
	s.lifecycle.move("stopping");
	command.terminate();
	const late = await pauseUntil(
		() => s.lifecycle.plan?.killAtMs ?? 0,
		() => s.clock.nowMs(),
		ended,
	);
	if (!late) return never;
	command.kill();
	if (!(await pause(KILL_WAIT_MS, ended))) return never;
	return { code: null, signal: "SIGKILL", error: null };
}

function newCheckpointSync(s: Session, job: PreparedJob, restored: string): CheckpointSync | null {
	const allRanks = s.terms.gang != null && s.terms.spec.checkpoint?.ranks === "all";
	// Without `ranks: all`, only rank 0 of a gang saves checkpoints.
	if (job.checkpointFolder === null || (!allRanks && (s.terms.gang?.rank ?? 0) > 0)) return null;
	return new CheckpointSync({ client: s.client, folder: job.checkpointFolder, restored, allRanks, rclone: rcloneFor(s), log: s.announce });
}

function whenAborted(signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener("abort", () => resolve(), { once: true });
	});
}
