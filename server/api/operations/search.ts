import { search } from "#server/contract/search.ts";
import { findEntities } from "#server/services/overview/search/find.ts";
import { bind } from "./bind.ts";

export const searchOperations = { find: bind(search.find, findEntities) };
