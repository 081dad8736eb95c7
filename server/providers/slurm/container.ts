import path from "node:path";
import { gangEnvironment } from "#server/agent/job-environment.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { mountPathOf, type SiteMount } from "#server/domain/site-mount.ts";
import { DriverError } from "../driver-errors.ts";
import { quoted } from "./launch-script.ts";
import type { ParsedSlurmSettings } from "./settings.ts";

export interface ContainerInput {
	spec: Pick<JobSpec, "command" | "image" | "nodes" | "resources">;
	container: ParsedSlurmSettings["container"];
	/** The attempt's folder, at the same path inside. */
	folder: string;
	work: string;
	/** Mounted at /mnt/<name> in the container. Undefined: none. */
	mounts?: readonly SiteMount[];
}

/**
 * The command as an argv for the job's first node: in its container, and with `srun` if it runs on every node.
 * @throws DriverError invalid_request if the job has an image and the site runs none
 */
export function containedCommand({ spec, container, folder, work, mounts = [] }: ContainerInput): string[] {
	const { image, nodes } = spec;
	const firstFailed = path.join(folder, "first-failed");
	const command = nodes > 1 ? [...oneOfGang(spec, firstFailed), ...spec.command] : spec.command;
	// One task per node, all ended when one fails. Each sees all GPUs of its node.
	const srun = [...aroundSrun(firstFailed), "srun", "--ntasks-per-node=1", `--nodes=${nodes}`, `--ntasks=${nodes}`, "--kill-on-bad-exit=1"];
	const binds = mounts.map(({ name, source, readOnly }) => `,${source}:${mountPathOf(name)}${readOnly ? ":ro" : ""}`).join("");
	if (image === null) return nodes > 1 ? [...srun, ...command] : command;
	switch (container) {
		case "none":
			throw new DriverError(
				"invalid_request",
				`the job has the image ${image}, but this site does not run containers; set "container" in the site's settings to pyxis or apptainer, or remove the image`,
			);
		case "pyxis":
			return [
				...srun,
				`--container-image=${enrootImage(image)}`,
				`--container-mounts=${folder}:${folder}${binds}`,
				`--container-workdir=${work}`,
				...command,
			];
		case "apptainer": {
			// By default it would mount our user's home with all its contents.
			const run = ["apptainer", "exec", "--nv", "--bind", `${folder}${binds}`, "--home", work, "--pwd", work];
			const inside = [...run, apptainerImage(image), ...command];
			return nodes > 1 ? [...srun, ...inside] : inside;
		}
	}
}

/**
 * `srun` reacts to SIGTERM by killing its step immediately. It therefore gets its own session, which the supervisor's signal does
 * not reach, and Slurm is asked to signal the step, the job's first; repeatedly while the step is starting. See run-job.sh for
 * the waiting. If one member of a gang fails by itself, `srun` kills the others and returns 137 for them; the job's code is that
 * of the first one.
 */
function aroundSrun(firstFailed: string): string[] {
	const lines = [
		'spillway__pass_on() { until scancel --signal=TERM "$SLURM_JOB_ID.0" || ! kill -s 0 "$SPILLWAY__SRUN"; do sleep 0.2; done; }',
		"spillway__leave() {",
		`	[ -z "$SPILLWAY__TOLD" ] && { read -r SPILLWAY__CODE SPILLWAY__RANK SPILLWAY__NODE <${quoted([firstFailed])}; } 2>/dev/null || exit "$SPILLWAY__STATUS"`,
		'	echo "spillway: rank $SPILLWAY__RANK on $SPILLWAY__NODE failed first, with exit code $SPILLWAY__CODE; the others are ended with it" >&2',
		'	exit "$SPILLWAY__CODE"',
		"}",
		"trap 'SPILLWAY__CAUGHT=yes SPILLWAY__TOLD=yes; spillway__pass_on 2>/dev/null &' TERM",
		'setsid "$@" &',
		"SPILLWAY__SRUN=$! SPILLWAY__STATUS= SPILLWAY__TOLD=",
		"while :; do",
		"	SPILLWAY__CAUGHT=",
		'	wait "$SPILLWAY__SRUN"',
		"	SPILLWAY__NEW=$?",
		'	[ "$SPILLWAY__NEW" = 127 ] && [ -n "$SPILLWAY__STATUS" ] || SPILLWAY__STATUS=$SPILLWAY__NEW',
		'	[ -n "$SPILLWAY__CAUGHT" ] || spillway__leave',
		"done",
	];
	return ["/bin/sh", "-c", lines.join("\n"), "sh"];
}

/**
 * The rendezvous variables for commands on several nodes: those that an instance's agent also sets, from Slurm's variables in
 * each task. The address is that of the node with the batch script, which has rank 0. Jobs that share a node need different
 * ports. The first rank that fails by itself records its rank and code; no later one does.
 */
function oneOfGang({ nodes, resources }: ContainerInput["spec"], firstFailed: string): string[] {
	const master = { address: "$SLURM_LAUNCH_NODE_IPADDR", port: "$((20000 + SLURM_JOB_ID % 10000))" };
	const gang = gangEnvironment({ rank: "$SLURM_NODEID", nodes, master, gpusPerNode: resources.gpus });
	const lines = [
		`export ${Object.entries(gang)
			.map(([name, value]) => `${name}="${value}"`)
			.join(" ")}`,
		"# Slurm signals every process of the step, the command included.",
		"trap : TERM",
		'"$@"',
		"SPILLWAY__CODE=$?",
		`[ "$SPILLWAY__CODE" = 0 ] || (set -C; echo "$SPILLWAY__CODE $SLURM_NODEID \${SLURMD_NODENAME:-its node}" >${quoted([firstFailed])}) 2>/dev/null`,
		'exit "$SPILLWAY__CODE"',
	];
	return ["/bin/sh", "-c", lines.join("\n"), "sh"];
}

/** Enroot separates the registry from the image with "#". A path is a squashfs file. */
function enrootImage(image: string): string {
	const [registry = "", ...rest] = image.split("/");
	const named = rest.length > 0 && registry !== "" && (/[.:]/.test(registry) || registry === "localhost");
	return named ? `${registry}#${rest.join("/")}` : image;
}

/** A path is a SIF file, and a URL is used unchanged. Everything else is a registry image. */
function apptainerImage(image: string): string {
	return image.startsWith("/") || /^[a-z-]+:\/\//.test(image) ? image : `docker://${image}`;
}
