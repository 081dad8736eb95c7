import { migrate } from "#server/db/migrate.ts";
import { directDatabaseUrl } from "#server/env.ts";

await migrate(directDatabaseUrl());
