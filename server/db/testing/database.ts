import { inject } from "vitest";
import { type TestDatabase, takeDatabaseOn } from "./throwaway.ts";

export type { TestDatabase };

/** A database of its own, migrated and empty: tests run in parallel without seeing each other. */
export function createTestDatabase(): Promise<TestDatabase> {
	return takeDatabaseOn(inject("postgresUrl"));
}

declare module "vitest" {
	export interface ProvidedContext {
		/** Superuser URL of the throwaway PostgreSQL that the global set-up started. */
		postgresUrl: string;
	}
}
