//! Maximum satisfiable blocks of homogeneous linear inequalities over the simplex.
