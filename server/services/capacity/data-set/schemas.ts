import { z } from "zod";
import { dataSetInput, type dataSetsInput, dataStoreInput } from "#server/contract/inputs/data-set.ts";

/** Copies of data sets: a list of dataSetInput under this key of `setting`. */
export const DATA_SETS_SETTING = "data_sets";
/** Stores for copies: a list of dataStoreInput under this key. */
export const DATA_STORES_SETTING = "data_stores";
export type DataSetsInput = z.infer<typeof dataSetsInput>;
export type DataSet = DataSetsInput["items"][number];

export const storedDataSets = z.array(dataSetInput);

export type DataStore = z.infer<typeof dataStoreInput>;
export const storedDataStores = z.array(dataStoreInput);
