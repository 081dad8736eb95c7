import { pause } from "../wait.ts";
import { type ContainerEngine, ContainerError, callEngine } from "./call-engine.ts";

/** Words with which registries and engines report errors that a retry cannot fix. */
const HOPELESS = new RegExp(
	[
		...["denied", "unauthori[sz]ed", "authentication required", "forbidden", "no basic auth credentials"],
		...["manifest unknown", "name unknown", "repository does not exist", "manifest for .* not found", ": not found$"],
		...["no matching manifest", "no image found in .* for architecture", "cannot be used on this platform"],
		...["invalid reference", "short-name", "unsupported (media|manifest)", "no space left"],
	].join("|"),
	"i",
);

const TRIES = 5;
const FIRST_PAUSE_MS = 2_000;
/** Enough for a few tens of GiB over a slow line. Larger images belong in the machine image. */
const TRY_MS = 45 * 60_000;
const REPORT_EVERY_MS = 15_000;

export interface PullOptions {
	signal: AbortSignal;
	log(text: string): void;
	/** Engine settings that locate the registry's credentials. */
	environment?: Readonly<Record<string, string>>;
	firstPauseMs?: number;
}

/** Facts about the image that the container's arguments depend on. */
export interface PulledImage {
	/** The engine's name for it. */
	name: string;
	/** Working folder of the image; null if it names none. */
	workingDir: string | null;
	bytes: number;
	/** In its registry; null if it never came from one. */
	digest: string | null;
}

/**
 * Pulls the image. An image that is on the machine is used as is, unless its tag moves ("latest"): then the registry is asked,
 * and the local image is used if it does not respond.
 * @throws ContainerError with the registry's message; the signal's reason when aborted
 */
export async function pullImage(engine: ContainerEngine, named: string, options: PullOptions): Promise<PulledImage> {
	const image = nameOf(named);
	const there = await inspectImage(engine, image, options.signal);
	if (there !== null && !isMoving(image)) {
		options.log(`the image ${image} is already on this instance${digestText(there)}`);
		return there;
	}
	const startedAt = performance.now();
	const problem = await pullWithPatience(engine, image, options);
	if (problem !== null && there === null) throw new ContainerError("image", `${image} cannot be pulled: ${problem}`);
	if (problem !== null) options.log(`${image} cannot be pulled (${problem}); using the copy on this instance`);
	const got = await inspectImage(engine, image, options.signal);
	if (got === null) throw new ContainerError("image", `${image} was pulled, but ${engine.kind} does not list it`);
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	if (problem === null) options.log(`pulled ${image}${digestText(got)}, ${inMiB(got.bytes)}, in ${seconds} s`);
	return got;
}

function digestText({ digest }: PulledImage): string {
	return digest ? ` (${digest})` : "";
}

/**
 * Also accepts the form that Slurm's containers use.
 * @throws ContainerError for a name that an engine would parse as an option
 */
function nameOf(image: string): string {
	const name = image.replace(/^docker:\/\//, "");
	if (/^[A-Za-z0-9][^\s]*$/.test(name) && !name.includes("://")) return name;
	throw new ContainerError("image", `${JSON.stringify(image)} is not an image name; use a form such as ghcr.io/acme/train:1.2`);
}

/** True for "train" and "train:latest", false for "host:5000/train:1" and "train@sha256:…". */
function isMoving(image: string): boolean {
	if (image.includes("@")) return false;
	const tag = (image.split("/").at(-1) ?? "").split(":")[1];
	return tag === undefined || tag === "latest";
}

async function inspectImage(engine: ContainerEngine, image: string, signal: AbortSignal): Promise<PulledImage | null> {
	const answer = await callEngine(engine, ["image", "inspect", image], { signal });
	if (!answer.ok) return null;
	const [said] = JSON.parse(answer.stdout) as { Size?: number; RepoDigests?: string[] | null; Config?: { WorkingDir?: string } | null }[];
	const workingDir = said?.Config?.WorkingDir ?? "";
	return {
		name: image,
		// Engines use the root folder if an image names none, and no job should work there.
		workingDir: workingDir === "" || workingDir === "/" ? null : workingDir,
		bytes: said?.Size ?? 0,
		digest: said?.RepoDigests?.[0]?.split("@")[1] ?? null,
	};
}

/** Returns null if the image is available, else why not. */
async function pullWithPatience(engine: ContainerEngine, image: string, options: PullOptions): Promise<string | null> {
	const { signal, log } = options;
	for (let tries = 1; ; tries++) {
		const problem = await pullOnce(engine, image, options);
		if (problem === null || HOPELESS.test(problem)) return problem;
		if (tries === TRIES) return `${problem} (${TRIES} attempts)`;
		log(`${image} cannot be pulled, retrying: ${problem}`);
		await pause((options.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** (tries - 1), signal);
		signal.throwIfAborted();
	}
}

async function pullOnce(engine: ContainerEngine, image: string, { signal, log, environment }: PullOptions): Promise<string | null> {
	const layers = new Map<string, boolean>();
	const startedAt = performance.now();
	const reporting = setInterval(() => {
		const done = [...layers.values()].filter(Boolean).length;
		const share = layers.size > 0 ? `, ${done} of ${layers.size} layers done` : "";
		log(`still pulling ${image} after ${Math.round((performance.now() - startedAt) / 1_000)} s${share}`);
	}, REPORT_EVERY_MS);
	try {
		log(`pulling ${image}`);
		const answer = await callEngine(engine, ["pull", image], {
			signal,
			timeoutMs: TRY_MS,
			onLine: (line) => readProgress(line, layers),
			...(environment ? { environment } : {}),
		});
		return answer.ok ? null : answer.complaint || "no reason reported";
	} finally {
		clearInterval(reporting);
	}
}

/** Docker prints "2f5e9a0b1c3d: Pull complete"; podman reports no finished layers without a terminal. */
function readProgress(line: string, layers: Map<string, boolean>): void {
	const [, layer, state] = /^([0-9a-f]{12}): (.+)$/.exec(line) ?? [];
	if (layer === undefined || state === undefined) return;
	layers.set(layer, layers.get(layer) === true || state === "Pull complete" || state === "Already exists");
}

function inMiB(bytes: number): string {
	return `${Math.round(bytes / 1024 ** 2).toLocaleString("en")} MiB`;
}
