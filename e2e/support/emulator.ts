import { z } from "zod";
import { emulatorUrl } from "./system.ts";

const booked = z.looseObject({
	instanceId: z.string(),
	state: z.string(),
	vanished: z.boolean(),
	spot: z.boolean(),
	instanceType: z.string(),
	zone: z.string(),
	tags: z.record(z.string(), z.string()),
	runningMs: z.number(),
	billedSeconds: z.number(),
});
export type Booked = z.infer<typeof booked>;

/** The emulated cloud's own book, which no fault bends: what really runs there, whatever the control plane believes. */
export async function bookedInstances(): Promise<Booked[]> {
	return z.object({ instances: z.array(booked) }).parse(await control("GET", "instances")).instances;
}

/** The provider takes a spot machine back: its notice, and 20 s later its end. */
export async function interrupt(instanceId: string): Promise<void> {
	await control("POST", "interrupt", { instanceId });
}

export async function addFault(fault: unknown): Promise<string> {
	return z.object({ id: z.string() }).parse(await control("POST", "faults", fault)).id;
}

export async function clearFaults(): Promise<void> {
	await control("DELETE", "faults");
}

async function control(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<unknown> {
	const response = await fetch(`${emulatorUrl()}/_emulator/${path}`, {
		method,
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		signal: AbortSignal.timeout(10_000),
	});
	if (!response.ok) throw new Error(`the emulator answered ${method} ${path} with ${response.status}: ${await response.text()}`);
	return response.json();
}
