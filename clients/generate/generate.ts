import { openApi } from "#server/api/rest/openapi.ts";
import { pythonModels, pythonOperations } from "./python.ts";
import { readContract } from "./read-contract.ts";
import { typescriptOperations, typescriptTypes } from "./typescript.ts";

/** Text of each generated file, by its path in clients/. */
export function generate(): Record<string, string> {
	const contract = readContract(openApi());
	return {
		"python/src/spillway/_models.py": pythonModels(contract),
		"python/src/spillway/_operations.py": pythonOperations(contract),
		"typescript/src/types.ts": typescriptTypes(contract),
		"typescript/src/operations.ts": typescriptOperations(contract),
	};
}
