import { BOUND } from "../operations/operations.ts";
import { routeOf } from "../operations/rest-route.ts";
import { accountRoutes } from "./account-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { backtestRoutes } from "./backtest-routes.ts";
import { billRoutes } from "./bill-routes.ts";
import { carbonRoutes } from "./carbon-routes.ts";
import { dataSetRoutes } from "./data-set-routes.ts";
import { otherRoutes } from "./other-routes.ts";
import { policyRoutes } from "./policy-routes.ts";
import { rateCardRoutes } from "./rate-card-routes.ts";
import type { Route } from "./route.ts";
import { setupRoutes } from "./setup-routes.ts";
import { shadowRoutes } from "./shadow-routes.ts";
import { siteRoutes } from "./site-routes.ts";
import { spendRoutes } from "./spend-routes.ts";
import { statementRoutes } from "./statement-routes.ts";

export const ROUTES: readonly Route[] = [
	...Object.values(BOUND).flatMap((group) => Object.values(group).map(routeOf)),
	...siteRoutes,
	...otherRoutes,
	...policyRoutes,
	...backtestRoutes,
	...shadowRoutes,
	...spendRoutes,
	...carbonRoutes,
	...rateCardRoutes,
	...dataSetRoutes,
	...statementRoutes,
	...billRoutes,
	...auditRoutes,
	...accountRoutes,
	...setupRoutes,
];
