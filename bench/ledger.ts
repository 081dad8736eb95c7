/**
 * The ledger at scale: `npm run bench:ledger [-- --json] [--jobs N] [--charges N] [--small-jobs N] [--rounds N] [--instances N]
 * [--bill-rows N] [--only NAME] [--keep DIR]`.
 * Fills a throwaway PostgreSQL with twelve months at two sizes, small and large, and prints the p50 and p95 on the server at both sizes for
 * every query of Spend, Carbon, Budgets and Statements. Then the time to publish budgets and to meter running instances, rows per second of
 * a FOCUS export, and seconds and peak memory of a bill import. With --keep the databases stay in DIR, and the next run with the same sizes
 * starts measuring immediately.
 */
import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Connection } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { databaseSeconds } from "./lib/database-cpu.ts";
import { print, quantile, round } from "./lib/figures.ts";
import { publishBudgets } from "./lib/ledger-budgets.ts";
import { dropDatabase, openBooks, startServer } from "./lib/ledger-database.ts";
import { meterRunning } from "./lib/ledger-meter.ts";
import { ledgerQueries } from "./lib/ledger-queries.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		jobs: { type: "string", default: "1000000" },
		charges: { type: "string", default: "10000000" },
		"small-jobs": { type: "string", default: "10000" },
		rounds: { type: "string", default: "30" },
		instances: { type: "string", default: "5000" },
		"bill-rows": { type: "string", default: "1000000" },
		/** Only queries with this in their name, or one of publish, export, import, meter. */
		only: { type: "string", default: "" },
		/** Checks every sum against the charges once the ledger is filled: takes some minutes at full size. */
		check: { type: "boolean", default: false },
		/** Folder that keeps the databases for the next run. */
		keep: { type: "string", default: "" },
	},
});
const jobs = Number(args.jobs);
const charges = Number(args.charges);
const smallJobs = Math.min(jobs, Number(args["small-jobs"]));
const WARM_UP = 3;

const PARTS = ["publish", "export", "import", "meter"] as const;
const part = PARTS.find((name) => name === args.only);
const wanted = (name: (typeof PARTS)[number]): boolean => args.only === "" || part === name;

const server = await startServer(args.keep);
/** Other work on the machine worsens every figure, so the load at the start of the run is printed with them. */
const figures: Record<string, number | string> = {
	jobs,
	charges,
	cores: os.availableParallelism(),
	loadBefore: round(os.loadavg()[0] ?? 0, 1),
};
const note = (text: string): void => void process.stderr.write(`${text}\n`);

async function booksOf(name: string, size: { jobs: number; charges: number }): Promise<Connection> {
	const startedMs = performance.now();
	const { connection, filled } = await openBooks(server, name, size);
	if (filled) note(`${name}: ${size.jobs} jobs in ${round((performance.now() - startedMs) / 1_000, 0)} s`);
	if (filled || wanted("publish")) {
		const count = await publishBudgets(connection);
		figures[`${name}BudgetCountSeconds`] = round(count, 2);
		note(`${name}: budgets counted in ${round(count, 2)} s`);
	}
	if (args.check) {
		const { ok, charges: added, differences } = await ledgerCheck({ db: connection.db, clock: systemClock });
		if (!ok)
			throw new Error(
				`the filled ledger does not add up: ${JSON.stringify(differences[0], (_, v) => (typeof v === "bigint" ? String(v) : v))}`,
			);
		note(`${name}: ${added} charges checked`);
	}
	return connection;
}

interface Timed {
	p50: number;
	p95: number;
	/** Mean processor time, here and in the database: the minimum on an idle machine. */
	cpuMs: number;
}

async function timed(connection: Connection, run: () => Promise<unknown>): Promise<Timed> {
	for (let i = 0; i < WARM_UP; i++) await run();
	const rounds = Number(args.rounds);
	const samples: number[] = [];
	const before = { own: process.cpuUsage(), database: await databaseSeconds(connection) };
	for (let i = 0; i < rounds; i++) {
		const startedMs = performance.now();
		await run();
		samples.push(performance.now() - startedMs);
	}
	const own = process.cpuUsage(before.own);
	const database = (await databaseSeconds(connection)) - before.database;
	return {
		p50: quantile(samples, 0.5),
		p95: quantile(samples, 0.95),
		cpuMs: ((own.user + own.system) / 1_000 + database * 1_000) / rounds,
	};
}

async function measureQueries(small: Connection, large: Connection): Promise<void> {
	const [few, many] = [ledgerQueries(small.db), ledgerQueries(large.db)];
	let worst = 0;
	let worstRatio = 0;
	for (const name of Object.keys(many).filter((n) => n.toLowerCase().includes(args.only.toLowerCase()))) {
		const [a, b] = [await timed(small, few[name] ?? fail), await timed(large, many[name] ?? fail)];
		figures[`${name}P50Ms`] = round(b.p50, 2);
		figures[`${name}P95Ms`] = round(b.p95, 2);
		figures[`${name}SmallP50Ms`] = round(a.p50, 2);
		figures[`${name}Ratio`] = round(b.p50 / a.p50, 2);
		figures[`${name}CpuMs`] = round(b.cpuMs, 1);
		figures[`${name}SmallCpuMs`] = round(a.cpuMs, 1);
		note(
			`${name}: p50 ${round(b.p50, 1)} ms, p95 ${round(b.p95, 1)} ms, ${round(b.p50 / a.p50, 2)} times its ${round(a.p50, 1)} ms at ${smallJobs} jobs; of the processor ${round(b.cpuMs, 1)} and ${round(a.cpuMs, 1)} ms`,
		);
		worst = Math.max(worst, b.p95);
		worstRatio = Math.max(worstRatio, b.p50 / a.p50);
	}
	figures.worstP95Ms = round(worst, 2);
	figures.worstRatio = round(worstRatio, 2);
}

function fail(): never {
	throw new Error("both sizes have the same queries");
}

interface ChildFigures {
	seconds: number;
	/** Processor seconds of the child process, all threads. */
	cpuSeconds: number;
	rows: number;
	peakRssMb: number;
}

function child(...given: string[]): Promise<ChildFigures> {
	const ran = spawn(process.execPath, [path.join(import.meta.dirname, "lib/ledger-child.ts"), ...given], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	let text = "";
	ran.stdout.on("data", (chunk) => {
		text += chunk;
	});
	return new Promise((resolve, reject) => {
		ran.on("error", reject);
		ran.on("close", (code) =>
			code === 0 ? resolve(JSON.parse(text) as ChildFigures) : reject(new Error(`${given[0]} ended with ${code}`)),
		);
	});
}

async function measureExport(): Promise<void> {
	const meant = await child("export", server.urlOf("large"), "2026-10");
	figures.exportRowsPerSecond = round(meant.rows / meant.seconds, 0);
	figures.exportPeakRssMb = round(meant.peakRssMb, 0);
	figures.exportRowsPerCpuSecond = round(meant.rows / meant.cpuSeconds, 0);
	note(
		`export: ${meant.rows} rows, ${figures.exportRowsPerSecond} a second, ${figures.exportRowsPerCpuSecond} a second of its processor, peak ${figures.exportPeakRssMb} MB`,
	);
}

/** Into its own database, because a kept one would already contain the bill. */
async function measureImport(): Promise<void> {
	await dropDatabase(server, "import");
	await migrate(server.urlOf("import"));
	const bill = await child("import", server.urlOf("import"), args["bill-rows"]);
	figures.importRows = bill.rows;
	figures.importSeconds = round(bill.seconds, 1);
	figures.importPeakRssMb = round(bill.peakRssMb, 0);
	figures.importCpuSeconds = round(bill.cpuSeconds, 1);
	note(
		`import: ${bill.rows} rows in ${figures.importSeconds} s, ${figures.importCpuSeconds} s of its processor, peak ${figures.importPeakRssMb} MB`,
	);
	await dropDatabase(server, "import");
}

async function measureMeter(large: Connection): Promise<void> {
	const meter = await meterRunning(large, Number(args.instances), 5);
	figures.meterInstances = meter.instances;
	figures.meterNodePercentOfCore = round(meter.nodePercent, 1);
	figures.meterDatabasePercentOfCore = round(meter.databasePercent, 1);
	figures.meterSeconds = round(meter.seconds, 2);
	note(`meter: ${figures.meterNodePercentOfCore}% of a core, the database ${figures.meterDatabasePercentOfCore}%`);
}

try {
	const small = await booksOf("small", { jobs: smallJobs, charges: Math.round((charges / jobs) * smallJobs) });
	const large = await booksOf("large", { jobs, charges });
	if (part === undefined) await measureQueries(small, large);
	if (wanted("export")) await measureExport();
	if (wanted("import")) await measureImport();
	if (wanted("meter")) await measureMeter(large);
	await Promise.all([small.end(), large.end()]);
	print(args.json, "The ledger: ms on the server, large; ratio to small", figures);
} finally {
	await server.stop();
}
