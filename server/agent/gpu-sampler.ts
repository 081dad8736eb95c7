import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type GpuMinutes, parseReading } from "./gpu-minutes.ts";
import { pause } from "./wait.ts";

/** Seconds between readings. Twelve a minute put no noticeable load on the driver. */
const EVERY_S = 5;
/** Delay before nvidia-smi is restarted after it exits. */
const AGAIN_MS = 60_000;

/**
 * Reads utilization and power of this machine's GPUs until the signal is aborted. Returns immediately if there is no nvidia-smi
 * (no NVIDIA driver).
 */
export async function sampleGpus(
	minutes: GpuMinutes,
	{ nowMs, signal, log, command = "nvidia-smi" }: { nowMs: () => number; signal: AbortSignal; log(text: string): void; command?: string },
): Promise<void> {
	for (let first = true; !signal.aborted; first = false) {
		const ended = await sampleOnce(minutes, { nowMs, signal, command });
		if (ended === "missing") {
			if (first) log("nvidia-smi is not installed: GPU use and power are not measured");
			return;
		}
		if (!signal.aborted && first) log("nvidia-smi exited unexpectedly; restarting it");
		if (!(await pause(AGAIN_MS, signal))) return;
	}
}

async function sampleOnce(
	minutes: GpuMinutes,
	{ nowMs, signal, command }: { nowMs: () => number; signal: AbortSignal; command: string },
): Promise<"missing" | "ended"> {
	const child = spawn(command, ["--query-gpu=index,utilization.gpu,power.draw", "--format=csv,noheader,nounits", `--loop=${EVERY_S}`], {
		stdio: ["ignore", "pipe", "ignore"],
		signal,
		killSignal: "SIGTERM",
	});
	const failed = new Promise<"missing" | "ended">((resolve) => {
		child.once("error", (error: NodeJS.ErrnoException) =>
			resolve(error.code === "ENOENT" || error.code === "EACCES" ? "missing" : "ended"),
		);
		child.once("close", () => resolve("ended"));
	});
	createInterface({ input: child.stdout }).on("line", (line) => {
		const reading = parseReading(line);
		if (reading) minutes.add(reading, nowMs());
	});
	return failed;
}
