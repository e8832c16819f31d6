//! Values and rows as PostgreSQL has them.

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::super::{Row, Value, real};

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Nothing => Ok(IsNull::Yes),
            Self::Number(number) if *kind == Type::FLOAT8 => real(*number).to_sql(kind, out),
            Self::Number(number) if *kind == Type::INT4 => {
                i32::try_from(*number)?.to_sql(kind, out)
            }
            Self::Number(number) => number.to_sql(kind, out),
            Self::Fraction(fraction) => fraction.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [
            Type::INT8,
            Type::INT4,
            Type::FLOAT8,
            Type::TEXT,
            Type::VARCHAR,
        ]
        .contains(kind)
    }

    to_sql_checked!();
}

pub fn row(row: &tokio_postgres::Row) -> Row {
    let cells = row.columns().iter().enumerate().map(|(at, column)| {
        let kind = column.type_();
        if *kind == Type::INT8 {
            row.try_get::<_, Option<i64>>(at).ok().flatten().into()
        } else if *kind == Type::INT4 {
            let number = row.try_get::<_, Option<i32>>(at).ok().flatten();
            number.map(i64::from).into()
        } else if *kind == Type::FLOAT8 {
            row.try_get::<_, Option<f64>>(at).ok().flatten().into()
        } else {
            row.try_get::<_, Option<String>>(at).ok().flatten().into()
        }
    });
    Row(cells.collect())
}

pub fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}
