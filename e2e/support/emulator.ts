import { z } from "zod";
import { CLOUDS, type Cloud, emulatorUrl } from "./system.ts";

const booked = z.looseObject({
	instanceId: z.string(),
	state: z.string(),
	vanished: z.boolean(),
	spot: z.boolean(),
	instanceType: z.string(),
	zone: z.string().nullable(),
	tags: z.record(z.string(), z.string()),
	runningMs: z.number(),
	billedSeconds: z.number(),
});
export type Booked = z.infer<typeof booked> & { cloud: Cloud; jobId: string | null };

/** The emulated clouds' own records, unaffected by faults: what really runs there, whatever the control plane believes. */
export async function bookedInstances(): Promise<Booked[]> {
	const books = await Promise.all(CLOUDS.map((cloud) => bookOf(cloud)));
	return books.flat();
}

export async function bookOf(cloud: Cloud, url = emulatorUrl(cloud)): Promise<Booked[]> {
	const { instances } = z.object({ instances: z.array(booked) }).parse(await control(url, "GET", "instances"));
	// Google's labels have no colon.
	return instances.map((one) => ({ ...one, cloud, jobId: one.tags["spillway:job"] ?? one.tags["spillway-job"] ?? null }));
}

/** The provider reclaims a job's running spot machine: first its notice, and 20 s later its end. */
export async function interruptMachineOf(jobId: string): Promise<void> {
	const machine = (await bookedInstances()).find((one) => one.jobId === jobId && one.state === "running");
	if (!machine) throw new Error(`no emulated cloud runs a machine of ${jobId}`);
	await control(emulatorUrl(machine.cloud), "POST", "interrupt", { instanceId: machine.instanceId });
}

/** Each cloud's name for creating a machine. */
const LAUNCH: Record<Cloud, string> = { aws: "RunInstances", azure: "virtualMachines.createOrUpdate", gcp: "Instances.Insert" };

/** The next machine takes longer to start, in any cloud. */
export async function bootSlowly(durationMs: number): Promise<void> {
	for (const cloud of CLOUDS)
		await control(emulatorUrl(cloud), "POST", "faults", { action: LAUNCH[cloud], behaviour: { kind: "slow_boot", durationMs } });
}

export async function clearFaults(): Promise<void> {
	for (const cloud of CLOUDS) await control(emulatorUrl(cloud), "DELETE", "faults");
}

async function control(url: string, method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<unknown> {
	const response = await fetch(`${url}/_emulator/${path}`, {
		method,
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		signal: AbortSignal.timeout(60_000),
	});
	if (!response.ok) throw new Error(`${response.url} answered ${method} ${path} with ${response.status}: ${await response.text()}`);
	return response.json();
}
