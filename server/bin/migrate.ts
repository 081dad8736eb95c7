import { migrate } from "#server/db/migrate.ts";
import { env } from "#server/env.ts";

await migrate(env().DATABASE_URL);
