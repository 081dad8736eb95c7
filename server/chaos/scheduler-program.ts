import { readSync, writeSync } from "node:fs";
import { connect } from "#server/db/client.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { RATES, REGIONS } from "./catalog.ts";
import { openCloudDriver, withDropped } from "./cloud-driver.ts";
import { FastClock } from "./fast-clock.ts";
import { openGoogle } from "./google-clients.ts";
import { KillableScheduler } from "./killable-scheduler.ts";
import { machineContext } from "./machine-context.ts";
import { type SchedulerOrder, type SchedulerOrders, type SchedulerWord, STEPS_FD } from "./scheduler-process.ts";
import { homeSettings } from "./seed-world.ts";
import { TIMING } from "./timing.ts";

/** A scheduler in a separate process (scheduler-process.ts). At a watched step it waits until it is answered or killed. */

/** Real time after which a call announced as sent is in flight. */
const SENT_MS = 3;

let scheduler: KillableScheduler | null = null;
let dropped: string | null = null;
const announce = (word: SchedulerWord): void => void process.send?.(word);

process.on("disconnect", () => process.exit(1));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("message", (word: SchedulerOrders) => {
	if (word.kind === "drop") dropped = word.region;
	else void (word.kind === "begin" ? begin(word.order) : stop());
});

async function begin(order: SchedulerOrder): Promise<void> {
	const { databaseUrl, name, agent, checkpointRoot, artifactRoot, controlUrl, home } = order;
	dropped = order.dropped;
	const clock = new FastClock(order.clock.rate, order.clock.startMs);
	const drivers = new Map(
		await Promise.all(
			order.clouds.map(async ({ cloud, url }) => {
				const rates = () => withDropped(RATES[cloud], dropped);
				return [
					cloud,
					await openCloudDriver(cloud, {
						url,
						regions: REGIONS[cloud],
						clock,
						rates,
						google: (endpoint) => openGoogle(endpoint, order.keyFolder),
					}),
				] as const;
			}),
		),
	);
	scheduler = new KillableScheduler({
		...{ databaseUrl, admin: connect(databaseUrl, { max: 1, applicationName: `${name}-admin` }).sql, name, drivers },
		home: home && new LocalDriver(...homeSettings(home), clock),
		homeTime: (realMs) => clock.at(realMs),
		context: {
			...{ clock, timing: TIMING, clusters: new Map(), checkpointRoot, artifactRoot },
			...machineContext({ controlUrl, agent, inUserData: (script) => clock.inUserData(script) }),
		},
		onStep: stepsOf(new Set(order.watched)),
		log: (text) => {
			if (order.verbose) announce({ kind: "log", text });
		},
	});
	announce({ kind: "ready" });
}

async function stop(): Promise<void> {
	await scheduler?.stop();
	process.exit(0);
}

function stepsOf(watched: ReadonlySet<string>): (step: string) => void {
	const pass = (step: string): void => {
		writeSync(STEPS_FD, `${step}\n`);
		readSync(STEPS_FD, Buffer.alloc(1));
	};
	return (step) => {
		if (!watched.has(step)) return;
		if (step.startsWith("sent:")) setTimeout(pass, SENT_MS, step);
		else pass(step);
	};
}
