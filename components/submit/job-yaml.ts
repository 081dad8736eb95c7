import { Document, isMap, isPair, isScalar, isSeq, visit } from "yaml";
import type { JobSpec } from "#server/domain/job.ts";
import { jobDocument } from "./job-document.ts";

/** Writes short lists and maps of scalars on one line. */
const ONE_LINE = 96;

/** Formats a job as YAML. */
export function jobYaml(spec: JobSpec): string {
	return documentYaml(jobDocument(spec));
}

/** Formats a job file document as YAML. */
export function documentYaml(document: object): string {
	const doc = new Document(document);
	visit(doc, {
		Collection(_key, node, path) {
			const pair = path.at(-1);
			const isEnv = isPair(pair) && isScalar(pair.key) && pair.key.value === "env";
			if (path.length <= 2 || (!isMap(node) && !isSeq(node)) || isEnv) return;
			const json = JSON.stringify(node.toJSON());
			const nested = Object.values(node.toJSON() as object).some((value) => typeof value === "object" && !Array.isArray(value));
			if (json.length <= ONE_LINE && !nested) {
				node.flow = true;
				return visit.SKIP;
			}
		},
	});
	return doc.toString({ lineWidth: 0, flowCollectionPadding: true });
}
