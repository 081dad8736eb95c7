import { jobRoutes } from "./job-routes.ts";
import { otherRoutes } from "./other-routes.ts";
import type { Route } from "./route.ts";

export const ROUTES: readonly Route[] = [...jobRoutes, ...otherRoutes];
