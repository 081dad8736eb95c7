import { BOUND } from "../operations/operations.ts";
import { routeOf } from "../operations/rest-route.ts";
import type { Route } from "./route.ts";

/** A REST route for each operation of the contract. */
export const ROUTES: readonly Route[] = Object.values(BOUND).flatMap((group) => Object.values(group).map(routeOf));
