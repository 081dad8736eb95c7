import { createHash } from "node:crypto";
import path from "node:path";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ReplayScenario } from "#server/simulation/replay/types.ts";
import { readTextFile } from "#server/simulation/trace-file/read-trace.ts";
import { readAvailability } from "./assign-availability.ts";
import type { ReadNamedFile, ScenarioContext, ShippedFacts } from "./context.ts";
import { readGrid, readGridForecast, readPrices } from "./outside.ts";
import { readDataSets } from "./read-data-sets.ts";
import { readOffers } from "./read-offers.ts";
import { readPipelines } from "./read-pipelines.ts";
import { readPools } from "./read-pools.ts";
import { ScenarioDocument } from "./scenario-document.ts";

export interface ScenarioOptions {
	facts: ShippedFacts;
	/** Overrides the file's seed. */
	seed?: number;
	/** UTC ms of the trace's 0 if the scenario names none: the trace's own. */
	recordedStartMs?: number | null;
}

export interface ScenarioReading {
	scenario: ReplayScenario;
	/** Every file that was read, the scenario first, with its contents. */
	files: { path: string; sha256: string }[];
}

/** Used if neither the scenario nor the trace has a date. */
export const DEFAULT_START = "2026-01-01T00:00:00Z";

/**
 * Reads a scenario and the files it names by relative paths.
 * @throws SpillwayError `not_found` for an unreadable file, `invalid_input` with line and column.
 */
export function readScenarioFile(file: string, options: ScenarioOptions): ScenarioReading {
	const folder = path.dirname(file);
	return parseScenario(readTextFile(file, "scenario"), {
		...options,
		name: file,
		open: (named) => readTextFile(path.resolve(folder, named), "file"),
	});
}

/** Total: any text yields a scenario or a SpillwayError. `open` returns the text of a named file. */
export function parseScenario(
	source: string,
	options: ScenarioOptions & { name: string; open: (file: string) => string },
): ScenarioReading {
	const { name, facts, open } = options;
	const files = [{ path: name, sha256: sha256(source) }];
	const doc = new ScenarioDocument(source, name);
	const { spec } = doc;
	const read: ReadNamedFile = (file, at) => {
		const text = openNamed(doc, open, file, at);
		files.push({ path: file, sha256: sha256(text) });
		return { text, name: file };
	};
	const startMs = spec.start ?? options.recordedStartMs ?? Date.parse(DEFAULT_START);
	const ctx: ScenarioContext = { doc, facts, seed: options.seed ?? spec.seed, startMs, read };
	const pools = readPools(ctx);
	const offers = readOffers(ctx);
	if (pools.length === 0 && offers.length === 0)
		throw doc.error(
			[],
			"the scenario has neither pools nor offers, so that no job can run.",
			"Give at least one of pools, catalog and offers.",
		);
	const gridForecast = readGridForecast(ctx);
	const pipelines = readPipelines(ctx);
	const movesData = spec.data.sets.length > 0 || pipelines.some(({ resultGiB }) => resultGiB.size > 0);
	const scenario: ReplayScenario = {
		name: doc.title,
		seed: ctx.seed,
		startMs,
		pools,
		offers,
		availability: readAvailability(ctx, offers),
		prices: readPrices(ctx, offers),
		bootMs: spec.boot,
		startFromStoppedMs: spec.startFromStopped,
		timeZone: spec.timeZone,
		refusalMs: spec.capacityErrors.answerAfter,
		checkpointEveryMs: spec.checkpoint.every,
		restoreMs: spec.checkpoint.restore,
		grid: readGrid(ctx, pools, offers),
		...(gridForecast && { gridForecast }),
		boardWatts: { ...facts.boardWatts, ...spec.boardWatts },
		onDemandRefusalShare: spec.capacityErrors.onDemandShare,
		...(spec.capacityErrors.requestsPerMinute !== undefined && { requestsPerMinute: spec.capacityErrors.requestsPerMinute }),
		dataOutGiB: spec.data.outGiB,
		...(spec.throughput && { throughput: { ...spec.throughput, prior: facts.throughputPrior } }),
		...(spec.scaling && { scaling: spec.scaling }),
		...(pipelines.length > 0 && { pipelines }),
		...(movesData ? { data: readDataSets(ctx, pools, offers) } : {}),
	};
	return { scenario, files };
}

/** An unreadable file is reported with the line that names it. */
function openNamed(doc: ScenarioDocument, open: (file: string) => string, file: string, at: readonly (string | number)[]): string {
	try {
		return open(file);
	} catch (error) {
		if (error instanceof SpillwayError) throw doc.error(at, error.message, `${error.fix ?? ""} Paths are relative to the scenario.`.trim());
		throw error;
	}
}

export function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
