import type { Route } from "../http/route.ts";
import { BOUND } from "../operations/operations.ts";
import { routeOf } from "./rest-route.ts";

/** A REST route for each operation of the contract. */
export const ROUTES: readonly Route[] = Object.values(BOUND).flatMap((group) => Object.values(group).map(routeOf));
