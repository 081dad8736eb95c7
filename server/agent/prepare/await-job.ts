import path from "node:path";
import { type ControlClient, messageOf } from "../client.ts";
import type { MachineMetadata } from "../metadata.ts";
import { doneAnswer, type PreparedReport, type PrepareOrder, waitingAnswer } from "../protocol.ts";
import { rcloneOfInstance } from "../rclone/find.ts";
import type { AgentSettings } from "../settings.ts";
import { pause } from "../wait.ts";
import { PreparedData } from "./prepared-data.ts";
import { startPreparing } from "./start-preparing.ts";

interface Waiting {
	client: ControlClient;
	metadata: MachineMetadata;
	/** The machine's enrolment, built again for each call. */
	freshJson(): Promise<object>;
	signal: AbortSignal;
	log(text: string): void;
}

/** Time for the last report before the job starts. */
const LAST_REPORT_MS = 5_000;

export function preparedDataOf({ folder }: Pick<AgentSettings, "folder">): PreparedData {
	return new PreparedData(path.join(folder, "prepared"));
}

/**
 * A machine that is kept warm waits here, at its price, until the scheduler gives it a job. Its secret is not spent meanwhile. It fetches what
 * the control plane orders once; an earlier control plane orders nothing.
 */
export async function awaitJob(settings: AgentSettings, waiting: Waiting): Promise<void> {
	const { client, freshJson, signal } = waiting;
	let preparing: Prepared | null = null;
	try {
		for (;;) {
			const answer = await client.call({ method: "POST", path: "/waiting", freshJson, answer: waitingAnswer, signal });
			if (answer.assigned) return;
			if (answer.prepare) {
				preparing ??= prepare(settings, answer.prepare, waiting);
				preparing.repeatFor(answer.prepare);
			}
			await pause(answer.pollMs, signal);
		}
	} finally {
		await preparing?.stop();
	}
}

interface Prepared {
	/** Reports again what the control plane still expects, because a report was lost. */
	repeatFor(order: PrepareOrder): void;
	stop(): Promise<void>;
}

function prepare(settings: AgentSettings, order: PrepareOrder, waiting: Waiting): Prepared {
	const { metadata, signal, log } = waiting;
	const { folder, containers, searchPath } = settings;
	const reporter = newReporter(waiting);
	const preparation = startPreparing(order, {
		...{ folder, containers, searchPath, log, machineSignal: signal, onChange: reporter.report },
		data: preparedDataOf(settings),
		registryLogin: (host) => metadata.registryLogin(host),
		rclone: () => rcloneOfInstance(log, signal),
	});
	return {
		repeatFor: ({ images, data }) => {
			const expected = new Set([...images, ...data.map(({ uri }) => uri)]);
			if (preparation.items.some(({ name }) => expected.has(name))) reporter.report([...preparation.items]);
		},
		stop: async () => {
			await preparation.stop();
			await reporter.sent();
		},
	};
}

/** Reports are in order and best effort: each contains all before it, and an earlier control plane has no such call. */
function newReporter({ client, freshJson, signal, log }: Waiting): {
	report(items: readonly PreparedReport[]): void;
	sent(): Promise<void>;
} {
	let sending: Promise<void> = Promise.resolve();
	const send = async (items: readonly PreparedReport[]): Promise<void> => {
		try {
			const json = { ...(await freshJson()), items };
			await client.once({ method: "POST", path: "/prepared", json, answer: doneAnswer, signal, timeoutMs: LAST_REPORT_MS });
		} catch (error) {
			log(`could not report what is prepared: ${messageOf(error)}`);
		}
	};
	return {
		report: (items) => {
			sending = sending.then(() => send(items));
		},
		sent: () => sending,
	};
}
