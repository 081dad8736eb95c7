import type { IncomingMessage } from "node:http";
import type { BookedInstance } from "./booked-instance.ts";
import type { FaultControl } from "./faults.ts";
import { type Answer, textAnswer } from "./http/answer.ts";
import { answerControl, type Controlled } from "./http/control-endpoint.ts";
import { serveLoopback } from "./http/loopback-server.ts";
import type { EndCause, Lifecycle } from "./lifecycle.ts";
import type { MachineRecord } from "./machine-record.ts";
import type { ResolvedEmulatorOptions } from "./options.ts";

/** A running emulated cloud. */
export interface Emulator<B extends BookedInstance = BookedInstance> {
	/** The endpoint for the provider's SDK. */
	url: string;
	port: number;
	faults: FaultControl;
	/** The emulator's own records. */
	instances(): B[];
	/**
	 * Gives a spot instance its interruption notice.
	 * @throws RangeError if it cannot have one
	 */
	interrupt(instanceId: string): void;
	/**
	 * Closes the endpoint. With `killInstances`, every machine is ended first and recorded as terminated. Otherwise they keep
	 * running, and the next start on the same port and folder adopts them.
	 */
	stop(options: { killInstances: boolean }): Promise<void>;
}

/** The parts of one cloud. */
export interface EmulatedCloud<M extends MachineRecord, C extends EndCause, B extends BookedInstance> {
	/** For messages, e.g. `emulated EC2 endpoint`. */
	endpointName: string;
	options: ResolvedEmulatorOptions;
	regions: ReadonlySet<string>;
	faults: FaultControl;
	lifecycle: Lifecycle<M, C>;
	machine(instanceId: string): M | undefined;
	instances(): B[];
	/**
	 * The provider's own endpoints and the metadata service. null cuts the connection without a response; undefined: no such path.
	 * @param nowMs the cloud's clock as callers see it, if the script sets it wrong; else null
	 */
	answer(request: IncomingMessage, path: string, nowMs: number | null): Answer | null | undefined | Promise<Answer | null | undefined>;
	onListening(url: string): void;
	/** Called first when the emulator is asked to stop. Nothing new is launched afterwards. */
	onStopping(): void;
}

export async function startEmulator<M extends MachineRecord, C extends EndCause, B extends BookedInstance>(
	cloud: EmulatedCloud<M, C, B>,
): Promise<Emulator<B>> {
	const { endpointName, options, faults, lifecycle } = cloud;
	const controlled: Controlled = {
		regions: cloud.regions,
		faults,
		instances: () => cloud.instances(),
		interrupt(instanceId) {
			const machine = cloud.machine(instanceId);
			if (!machine) return null;
			lifecycle.interrupt(machine);
			return machine.notice;
		},
	};
	const server = await serveLoopback({ ...options, endpointName }, async (request, path) => {
		if (path.startsWith("/_emulator/")) return answerControl(controlled, request, path);
		const offsetMs = path.startsWith("/imds/") ? 0 : faults.takeClockOffset();
		const answer = await cloud.answer(request, path, offsetMs === 0 ? null : Date.now() + offsetMs);
		if (answer === undefined) return textAnswer(404, `Not found: the ${endpointName} has no ${path}.\n`);
		if (answer === null || offsetMs === 0) return answer;
		return { ...answer, headers: { ...answer.headers, date: new Date(Date.now() + offsetMs).toUTCString() } };
	});
	cloud.onListening(server.url);
	lifecycle.resume();
	return {
		url: server.url,
		port: server.port,
		faults,
		instances: () => cloud.instances(),
		interrupt(instanceId) {
			if (controlled.interrupt(instanceId) === null) throw new RangeError(`there is no instance ${instanceId}`);
		},
		async stop({ killInstances }) {
			cloud.onStopping();
			if (killInstances) await lifecycle.endAll();
			lifecycle.close();
			await server.close();
		},
	};
}
