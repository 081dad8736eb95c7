import { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";
import { type ImportInput, importInput, importJob } from "#server/services/work/import/import-job.ts";
import { numberParam, refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

const body = z.union([z.string(), importInput.omit({ kind: true })]);

function importRoute(path: string, kind: "sbatch" | "kubernetes", summary: string): Route {
	return {
		...{ method: "POST", path, summary, permission: "job:submit", body },
		async handle(ctx, { body: given, query }) {
			refuseUnknown(query, ["team", "zoneOffsetMinutes"]);
			const team = textParam(query, "team");
			const zone = numberParam(query, "zoneOffsetMinutes");
			const asked = { kind, ...(team === undefined ? {} : { team }), ...(zone === undefined ? {} : { zoneOffsetMinutes: zone }) };
			if (typeof given === "string") return ok(await importJob(ctx, { ...asked, text: given }));
			if (given === null || typeof given !== "object" || !("text" in given))
				throw new SpillwayError("invalid_input", "The body must be the text: as text/plain or application/yaml, or as {text} in JSON.");
			return ok(await importJob(ctx, { ...asked, ...given } as ImportInput));
		},
	};
}

export const importRoutes: Route[] = [
	importRoute("/imports/sbatch", "sbatch", "A batch script as jobs, with what became of each of its lines; nothing is submitted"),
	importRoute(
		"/imports/kubernetes",
		"kubernetes",
		"Job, PyTorchJob, TrainJob, JobSet or Pod manifests as jobs, with what became of each field",
	),
];
