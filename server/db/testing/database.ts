import { inject } from "vitest";
import { createDatabaseOn, type TestDatabase } from "./throwaway.ts";

export type { TestDatabase };

/** A database of its own, cloned from a migrated template: tests run in parallel without seeing each other. */
export function createTestDatabase(): Promise<TestDatabase> {
	return createDatabaseOn(inject("postgresUrl"));
}

declare module "vitest" {
	export interface ProvidedContext {
		/** Superuser URL of the throwaway PostgreSQL that the global set-up started. */
		postgresUrl: string;
	}
}
